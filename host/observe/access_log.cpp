// SPDX-License-Identifier: Apache-2.0
#include "host/observe/access_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "firmware/hal/mmio.h"
#include "firmware/kernel/bytes.h"
#include "host/observe/register_map.hpp"
#include "sim/core/instruction.hpp"

namespace headstack::observe {
namespace {

const RegisterBlock* block_at(std::uint32_t address) {
  const std::vector<RegisterBlock>& blocks = register_blocks();
  const auto found = std::find_if(blocks.begin(), blocks.end(), [address](const RegisterBlock& b) {
    return address - b.base < kBlockBytes;
  });
  return found == blocks.end() ? nullptr : &*found;
}

}  // namespace

std::string name_of_address(std::uint32_t address) {
  if (address - HAL_BASE_BUFFER_RAM < HAL_BUFFER_RAM_BYTES) {
    return fmt::format("BUFFER+{:x}", address - HAL_BASE_BUFFER_RAM);
  }
  const RegisterBlock* const block = block_at(address);
  if (block == nullptr) return fmt::format("{:x}", address);
  const std::uint32_t offset = address - block->base;
  for (const tlm::RegisterName& reg : block->registers) {
    const std::uint32_t index = (offset - reg.offset) / reg.stride;
    if (offset < reg.offset || index >= reg.count) continue;
    if ((offset - reg.offset) % reg.stride >= sizeof(std::uint32_t)) continue;
    if (reg.count == 1) return fmt::format("{}.{}", block->name, reg.name);
    return fmt::format("{}.{}[{:x}]", block->name, reg.name, index);
  }
  return fmt::format("{}+{:x}", block->name, offset);
}

AccessLog::AccessLog(const std::string& file, const soc::CoreAccess& core)
    : core_(core), out_(file) {}

void AccessLog::core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) {
  if (!activity.core_edge) return;
  const soc::CoreStage stage = core_.stage();
  if (tracker_.begins(stage) && load_) {
    out_ << fmt::format("{} {:x}\n", load_->line, core_.registers().x[load_->target]);
    load_.reset();
  }
  if (stage.access && stage.address >= soc::CoreAccess::kRamBytes) note(edge, stage);
}

void AccessLog::note(std::uint64_t edge, const soc::CoreStage& stage) {
  const std::vector<std::uint8_t> code = core_.read_ram(stage.pc, sizeof(std::uint32_t));
  const core::Instruction instruction = core::decode(bytes_get_le32(code.data()));
  std::string line = fmt::format("{} {:x} {} {} {}", edge, stage.pc, stage.write ? 'w' : 'r',
                                 stage.bytes, name_of_address(stage.address));
  if (!stage.write) {
    load_ = Load{std::move(line), instruction.rd};
    return;
  }
  const std::uint32_t mask = stage.bytes < 4 ? (1U << 8 * stage.bytes) - 1U : UINT32_MAX;
  out_ << fmt::format("{} {:x}\n", line, core_.registers().x[instruction.rs2] & mask);
}

}  // namespace headstack::observe
