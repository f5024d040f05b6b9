// SPDX-License-Identifier: Apache-2.0
// The registers that GDB sees, as one table: the core's registers, its control and status
// registers, and the drive's state. The drive's state is the feature org.headstack.drive, and read
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/debug/register_numbers.hpp"
#include "host/observe/drive_probe.hpp"
#include "sim/soc/core_access.hpp"

namespace headstack::debug {

/// The source of the registers' values.
struct RegisterView {
  soc::CoreRegisters core;
  observe::DriveState drive;
  std::uint64_t edge = 0;  // of the clock
};

/// A register's value in the protocol's form, low byte first; none if the number names no register.
std::optional<std::string> register_hex(const RegisterView& view, unsigned number);

/// target.xml: the table, for GDB.
std::string target_description();

/// The memories that may be read without a side effect, for GDB.
std::string memory_map();
/// The core's address of the sector buffer (hdl/bus/bus_pkg.sv).
constexpr std::uint32_t kBufferAddress = 0x5000'0000;

}  // namespace headstack::debug
