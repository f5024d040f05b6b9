// SPDX-License-Identifier: Apache-2.0
// The register port of a Verilated block: the structs of hdl/bus/reg_pkg.sv, one integer each.
#pragma once

#include <cstdint>

namespace headstack::reg_port {

constexpr std::uint64_t kNone = 0;
constexpr unsigned kValidBit = 49;

/// reg_req_t: a valid access, in the order of its members, the last one lowest.
constexpr std::uint64_t request(bool write, std::uint64_t offset, std::uint32_t value,
                                std::uint64_t byte_enables = 0xF) {
  constexpr unsigned kValueBit = 4, kAddressBit = 36, kWriteBit = 48;
  return std::uint64_t{1} << kValidBit | std::uint64_t{write} << kWriteBit |
         (offset & 0xFFF) << kAddressBit | std::uint64_t{value} << kValueBit | (byte_enables & 0xF);
}

/// The data of reg_rsp_t.
constexpr std::uint32_t data(std::uint64_t response) {
  return static_cast<std::uint32_t>(response >> 1);
}
constexpr bool failed(std::uint64_t response) { return (response & 1) != 0; }

}  // namespace headstack::reg_port
