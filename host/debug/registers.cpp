// SPDX-License-Identifier: Apache-2.0
#include "host/debug/registers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "firmware/queue/policy_table.h"
#include "host/debug/packet.hpp"
#include "sim/bus/phase.hpp"

namespace headstack::debug {
namespace {

/// The value of what is missing, such as a zone or a tag.
constexpr std::uint64_t kNone = ~std::uint64_t{0};

template <class Number>
std::uint64_t or_none(const std::optional<Number>& value) {
  return value ? std::uint64_t{*value} : kNone;
}

struct Row {
  const char* name;
  const char* type;  // a type of GDB, or of kEnums
  std::size_t bytes;
  std::uint64_t (*value)(const RegisterView& view);
};

// Names from the RISC-V calling convention.
constexpr const char* kCoreNames[] = {"zero", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2",
                                      "fp",   "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
                                      "a6",   "a7", "s2",  "s3",  "s4", "s5", "s6", "s7",
                                      "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

// Registers of the RISC-V privileged architecture, machine mode.
constexpr Row kCsrs[] = {
    {"mstatus", "int", 4, [](const RegisterView& v) { return std::uint64_t{v.core.mstatus}; }},
    {"mie", "int", 4, [](const RegisterView& v) { return std::uint64_t{v.core.mie}; }},
    {"mtvec", "int", 4, [](const RegisterView& v) { return std::uint64_t{v.core.mtvec}; }},
    {"mscratch", "int", 4, [](const RegisterView& v) { return std::uint64_t{v.core.mscratch}; }},
    {"mepc", "int", 4, [](const RegisterView& v) { return std::uint64_t{v.core.mepc}; }},
    {"mcause", "int", 4, [](const RegisterView& v) { return std::uint64_t{v.core.mcause}; }},
    {"mtval", "int", 4, [](const RegisterView& v) { return std::uint64_t{v.core.mtval}; }},
    {"mip", "int", 4, [](const RegisterView& v) { return std::uint64_t{v.core.mip}; }},
};

// The meanings are in observe::DriveState; -1 means none.
constexpr Row kDrive[] = {
    {"time_ps", "uint64", 8,
     [](const RegisterView& v) { return static_cast<std::uint64_t>(v.drive.at); }},
    {"clock_edge", "uint64", 8, [](const RegisterView& v) { return v.edge; }},
    {"angle_turn32", "uint32", 4,
     [](const RegisterView& v) { return std::uint64_t{v.drive.angle_turn32}; }},
    {"cylinder", "uint32", 4,
     [](const RegisterView& v) { return std::uint64_t{v.drive.cylinder}; }},
    {"target", "uint32", 4,
     [](const RegisterView& v) { return std::uint64_t{v.drive.target_cylinder}; }},
    {"head", "uint32", 4, [](const RegisterView& v) { return std::uint64_t{v.drive.head}; }},
    {"zone", "int32", 4, [](const RegisterView& v) { return or_none(v.drive.zone); }},
    {"sector", "int32", 4, [](const RegisterView& v) { return or_none(v.drive.sector); }},
    {"arm", "arm_state", 4,
     [](const RegisterView& v) { return static_cast<std::uint64_t>(v.drive.arm); }},
    {"bus_phase", "bus_phase", 4,
     [](const RegisterView& v) { return static_cast<std::uint64_t>(v.drive.phase); }},
    {"operation", "int32", 4,
     [](const RegisterView& v) { return or_none(v.drive.operation_code); }},
    {"queue_depth", "uint32", 4,
     [](const RegisterView& v) { return std::uint64_t{v.drive.queue_depth}; }},
    {"serving_tag", "int32", 4,
     [](const RegisterView& v) { return or_none(v.drive.tag_in_service); }},
    {"serving_number", "int64", 8,
     [](const RegisterView& v) { return or_none(v.drive.command_in_service); }},
    {"policy", "policy_number", 4, [](const RegisterView& v) { return or_none(v.drive.policy); }},
    {"handler", "handler", 4,
     [](const RegisterView& v) { return static_cast<std::uint64_t>(v.drive.handler); }},
};

constexpr unsigned kFirstCsr = kCoreRegisters;
constexpr unsigned kFirstDrive = kFirstCsr + static_cast<unsigned>(std::size(kCsrs));
constexpr unsigned kRegisters = kFirstDrive + static_cast<unsigned>(std::size(kDrive));

/// A type whose values have names, given by rows.
struct Enum {
  const char* name;
  unsigned (*count)();
  unsigned (*value)(unsigned row);
  std::string (*text)(unsigned row);
};

unsigned same(unsigned row) { return row; }

const Enum kEnums[] = {
    {"arm_state", [] { return static_cast<unsigned>(mechanics::ArmState::kSwitchingHead) + 1; },
     same,
     [](unsigned row) -> std::string { return to_string(static_cast<mechanics::ArmState>(row)); }},
    {"bus_phase", [] { return static_cast<unsigned>(bus::Phase::kReset) + 1; }, same,
     [](unsigned row) -> std::string { return phase_name(static_cast<bus::Phase>(row)); }},
    {"handler", [] { return static_cast<unsigned>(observe::Handler::kTimer) + 1; }, same,
     [](unsigned row) -> std::string { return to_string(static_cast<observe::Handler>(row)); }},
    {"policy_number", [] { return unsigned{policy_count()}; },
     [](unsigned row) { return unsigned{policy_row(row)->number}; },
     [](unsigned row) -> std::string { return policy_row(row)->name; }},
};

/// The name, made a C identifier.
std::string identifier(std::string text) {
  for (char& character : text) {
    if (character == ' ' || character == '-') character = '_';
  }
  return text;
}

std::string enum_type(const Enum& type) {
  std::string text = fmt::format("<enum id=\"{}\" size=\"4\">", type.name);
  for (unsigned row = 0; row < type.count(); ++row) {
    text += fmt::format("<evalue name=\"{}\" value=\"{}\"/>", identifier(type.text(row)),
                        type.value(row));
  }
  return text + "</enum>\n";
}

std::string reg(const char* name, unsigned number, std::size_t bytes, const char* type,
                const char* group) {
  return fmt::format(
      "<reg name=\"{}\" bitsize=\"{}\" type=\"{}\" regnum=\"{}\" group=\"{}\" save-restore=\"{}\"/>"
      "\n",
      name, 8 * bytes, type, number, group, number < kCoreRegisters ? "yes" : "no");
}

}  // namespace

std::optional<std::string> register_hex(const RegisterView& view, unsigned number) {
  if (number < kPc) return to_hex(view.core.x[number], kCoreRegisterBytes);
  if (number == kPc) return to_hex(view.core.pc, kCoreRegisterBytes);
  if (number >= kRegisters) return std::nullopt;
  const Row& row = number < kFirstDrive ? kCsrs[number - kFirstCsr] : kDrive[number - kFirstDrive];
  return to_hex(row.value(view), row.bytes);
}

std::string target_description() {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
      "<target version=\"1.0\">\n<architecture>riscv:rv32</architecture>\n"
      "<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (unsigned number = 0; number < kPc; ++number) {
    text += reg(kCoreNames[number], number, kCoreRegisterBytes, "int", "general");
  }
  text += reg("pc", kPc, kCoreRegisterBytes, "code_ptr", "general");
  text += "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  unsigned number = kFirstCsr;
  for (const Row& row : kCsrs) text += reg(row.name, number++, row.bytes, row.type, "csr");
  text += "</feature>\n<feature name=\"org.headstack.drive\">\n";
  for (const Enum& type : kEnums) text += enum_type(type);
  for (const Row& row : kDrive) text += reg(row.name, number++, row.bytes, row.type, "drive");
  return text + "</feature>\n</target>\n";
}

std::string memory_map() {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map "
      "V1.0//EN\" \"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n"
      "<memory type=\"ram\" start=\"0x0\" length=\"{:#x}\"/>\n"
      "<memory type=\"ram\" start=\"{:#x}\" length=\"{:#x}\"/>\n</memory-map>\n",
      soc::CoreAccess::kRamBytes, kBufferAddress, soc::CoreAccess::kBufferBytes);
}

}  // namespace headstack::debug
