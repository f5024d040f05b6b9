// SPDX-License-Identifier: Apache-2.0
#include "host/observe/access_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "buffer_mgr_registers.hpp"
#include "firmware/hal/mmio.h"
#include "firmware/kernel/bytes.h"
#include "formatter_registers.hpp"
#include "irq_ctrl_registers.hpp"
#include "scsi_target_registers.hpp"
#include "servo_registers.hpp"
#include "sim/core/instruction.hpp"
#include "testdev_registers.hpp"
#include "timer_registers.hpp"
#include "trace_port_registers.hpp"

namespace headstack::observe {
namespace {

constexpr std::uint32_t kBlockBytes = 0x1000;

struct Block {
  std::uint32_t base = 0;
  const char* name = "";
  const tlm::RegisterName* first = nullptr;
  const tlm::RegisterName* last = nullptr;
};

template <std::size_t N>
Block block(std::uint32_t base, const char* name, const tlm::RegisterName (&names)[N]) {
  return {base, name, std::begin(names), std::end(names)};
}

const Block* block_at(std::uint32_t address) {
  static const std::array blocks = {
      block(HAL_BASE_TIMER, "TIMER", tlm::timer_regs::kNames),
      block(HAL_BASE_IRQ_CTRL, "IRQ_CTRL", tlm::irq_ctrl_regs::kNames),
      block(HAL_BASE_TRACE_PORT, "TRACE_PORT", tlm::trace_port_regs::kNames),
      block(HAL_BASE_TESTDEV, "TESTDEV", tlm::testdev_regs::kNames),
      block(HAL_BASE_SCSI_TARGET, "SCSI_TARGET", tlm::scsi_target_regs::kNames),
      block(HAL_BASE_BUFFER_MGR, "BUFFER_MGR", tlm::buffer_mgr_regs::kNames),
      block(HAL_BASE_FORMATTER, "FORMATTER", tlm::formatter_regs::kNames),
      block(HAL_BASE_SERVO, "SERVO", tlm::servo_regs::kNames)};
  const auto* const found = std::find_if(blocks.begin(), blocks.end(), [address](const Block& b) {
    return address - b.base < kBlockBytes;
  });
  return found == blocks.end() ? nullptr : found;
}

}  // namespace

std::string name_of_address(std::uint32_t address) {
  if (address - HAL_BASE_BUFFER_RAM < HAL_BUFFER_RAM_BYTES) {
    return fmt::format("BUFFER+{:x}", address - HAL_BASE_BUFFER_RAM);
  }
  const Block* const block = block_at(address);
  if (block == nullptr) return fmt::format("{:x}", address);
  const std::uint32_t offset = address - block->base;
  for (const tlm::RegisterName* reg = block->first; reg != block->last; ++reg) {
    const std::uint32_t index = (offset - reg->offset) / reg->stride;
    if (offset < reg->offset || index >= reg->count) continue;
    if ((offset - reg->offset) % reg->stride >= sizeof(std::uint32_t)) continue;
    if (reg->count == 1) return fmt::format("{}.{}", block->name, reg->name);
    return fmt::format("{}.{}[{:x}]", block->name, reg->name, index);
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
