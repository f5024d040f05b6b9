// SPDX-License-Identifier: Apache-2.0
// The firmware's functions for its core, which are instructions on the drive's processor
// (firmware/hal/mmio.h, firmware/kernel/cpu.h).
#include "firmware/hal/mmio.h"
#include "firmware/kernel/cpu.h"
#include "sim/assert.hpp"
#include "sim/tlm/cores/native_core.hpp"

namespace {

headstack::tlm::NativeCore& core() {
  headstack::tlm::NativeCore* current = headstack::tlm::NativeCore::current();
  HEADSTACK_ASSERT(current != nullptr, "firmware runs on a core");
  return *current;
}

}  // namespace

std::uint32_t hal_read32(std::uint32_t address) { return core().read(address); }
void hal_write32(std::uint32_t address, std::uint32_t value) { core().write(address, value); }
void cpu_wait_for_interrupt() { core().wait_for_interrupt(); }
