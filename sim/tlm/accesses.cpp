#include "sim/tlm/accesses.hpp"

#include <array>

#include "buffer_mgr_registers.hpp"
#include "formatter_registers.hpp"
#include "irq_ctrl_registers.hpp"
#include "scsi_target_registers.hpp"
#include "servo_registers.hpp"
#include "testdev_registers.hpp"
#include "timer_registers.hpp"
#include "trace_port_registers.hpp"

namespace headstack::tlm {
namespace {

constexpr std::uint32_t kBlockTracePort = 2;

struct Block {
  const char* name;
  const RegisterName* registers;
  std::size_t count;
};

template <std::size_t N>
constexpr Block block(const char* name, const RegisterName (&registers)[N]) {
  return {name, registers, N};
}

// In the order of the address map (hdl/README.md).
constexpr std::array<Block, 8> kBlocks = {
    block("timer", timer_regs::kRegisters),
    block("irq_ctrl", irq_ctrl_regs::kRegisters),
    block("trace_port", trace_port_regs::kRegisters),
    block("testdev", testdev_regs::kRegisters),
    block("scsi_target", scsi_target_regs::kRegisters),
    block("buffer_mgr", buffer_mgr_regs::kRegisters),
    block("formatter", formatter_regs::kRegisters),
    block("servo", servo_regs::kRegisters),
};

constexpr const char* kMoments[] = {"boot",  "wake",           "preempt",      "return",
                                    "sleep", "interrupts off", "interrupts on"};

constexpr const char* kWaypoints[] = {
#define WAYPOINT_NAME(name) "waypoint " #name,
    WAYPOINTS(WAYPOINT_NAME)
#undef WAYPOINT_NAME
};

/// The names of all accesses: as access_name() gives them, and with each index for arrays.
struct Names {
  std::vector<std::string> common = std::vector<std::string>(kAccessCount);
  std::vector<std::string> single = std::vector<std::string>(kAccessCount);
  std::vector<std::string> all;

  Names() {
    for (std::uint32_t number = 0; number < kBlocks.size(); ++number) add(number);
    put(kBufferRead, "buffer_ram read", "buffer_ram read");
    put(kBufferWrite, "buffer_ram write", "buffer_ram write");
    for (Access moment = kBoot; moment < kWaypoint; ++moment) {
      put(moment, kMoments[moment - kBoot], kMoments[moment - kBoot]);
    }
    for (Access point = kWaypoint; point < kAccessCount; ++point) {
      put(point, kWaypoints[point - kWaypoint], kWaypoints[point - kWaypoint]);
    }
  }

  void add(std::uint32_t number) {
    const Block& of = kBlocks[number];
    for (std::size_t i = 0; i < of.count; ++i) {
      const RegisterName& reg = of.registers[i];
      for (std::uint32_t index = 0; index < (reg.count == 0 ? 1 : reg.count); ++index) {
        const std::string every = std::string(of.name) + '.' + reg.name;
        const std::string one = at_index(every, index);
        const Access access = number * 128 + (reg.offset + index * reg.stride) / 4 * 2;
        const std::string& name = number == kBlockTracePort ? one : every;
        put(access, name + " read", one + " read");
        put(access + 1, name + " write", one + " write");
      }
    }
  }

  static std::string at_index(std::string name, std::uint32_t index) {
    const std::size_t brackets = name.find("[]");
    if (brackets != std::string::npos) name.insert(brackets + 1, std::to_string(index));
    return name;
  }

  void put(Access access, const std::string& name, const std::string& one) {
    common[access] = name;
    single[access] = one;
    if (all.empty() || access == 0 || name != common[access - 1]) all.push_back(name);
  }
};

const Names& names() {
  static const Names all;
  return all;
}

}  // namespace

const char* block_name(std::uint32_t block) { return kBlocks.at(block).name; }

std::string access_name(Access access) { return names().common.at(access); }

std::vector<Access> accesses_named(const std::string& name) {
  std::vector<Access> found;
  for (Access access = 0; access < kAccessCount; ++access) {
    const std::string& one = names().single[access];
    if (!one.empty() && (name == one || name == names().common[access])) found.push_back(access);
  }
  return found;
}

const std::vector<std::string>& access_names() { return names().all; }

}  // namespace headstack::tlm
