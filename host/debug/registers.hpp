// SPDX-License-Identifier: Apache-2.0
// The registers that GDB shows, as one table: the core's registers, its control and status
// registers, and the drive's state. The drive's state is the feature org.headstack.drive, and is
// read-only.
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
  std::uint64_t edge = 0;  // number of the clock edge
};

/// A register's value in the protocol's form, low byte first. Nothing if the number names no
/// register.
std::optional<std::string> register_hex(const RegisterView& view, unsigned number);

/// The table of registers for GDB, as target.xml.
std::string target_description();

/// The memory map for GDB: the memories that may be read without a side effect.
std::string memory_map();
/// The address of the sector buffer for the core (hdl/bus/bus_pkg.sv).
constexpr std::uint32_t kBufferAddress = 0x5000'0000;

}  // namespace headstack::debug
