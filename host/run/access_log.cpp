#include "host/run/access_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "buffer_mgr_registers.hpp"
#include "firmware/hal/mmio.h"
#include "formatter_registers.hpp"
#include "irq_ctrl_registers.hpp"
#include "scsi_target_registers.hpp"
#include "servo_registers.hpp"
#include "testdev_registers.hpp"
#include "timer_registers.hpp"
#include "trace_port_registers.hpp"

namespace headstack::run {
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

/// The register of the core that a load fills, or a store takes its bytes from (RV32IC).
unsigned data_register(std::uint32_t instruction, bool write) {
  const auto bits = [instruction](unsigned low, unsigned count) {
    return instruction >> low & ((1U << count) - 1U);
  };
  constexpr unsigned kFirstOfThreeBits = 8;
  switch (bits(0, 2)) {
    case 0: return kFirstOfThreeBits + bits(2, 3);     // C.LW, C.SW
    case 2: return write ? bits(2, 5) : bits(7, 5);    // C.SWSP, C.LWSP
    default: return write ? bits(20, 5) : bits(7, 5);  // loads and stores of four bytes
  }
}

std::uint32_t little_endian(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | bytes[i];
  return value;
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
  const std::uint32_t instruction = little_endian(core_.read_ram(stage.pc, sizeof(std::uint32_t)));
  const unsigned number = data_register(instruction, stage.write);
  std::string line = fmt::format("{} {:x} {} {} {}", edge, stage.pc, stage.write ? 'w' : 'r',
                                 stage.bytes, name_of_address(stage.address));
  if (!stage.write) {
    load_ = Load{std::move(line), number};
    return;
  }
  const std::uint32_t mask = stage.bytes < 4 ? (1U << 8 * stage.bytes) - 1U : UINT32_MAX;
  out_ << fmt::format("{} {:x}\n", line, core_.registers().x[number] & mask);
}

}  // namespace headstack::run
