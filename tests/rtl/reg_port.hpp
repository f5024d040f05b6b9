// SPDX-License-Identifier: Apache-2.0
// The register port of a Verilated block: reg_req_t and reg_rsp_t of hdl/ports, one integer each.
#pragma once

#include <cstdint>

#include "hdl_ports.hpp"

namespace headstack::reg_port {

constexpr std::uint64_t kNone = 0;

/// A valid access.
constexpr std::uint64_t request(bool write, std::uint64_t offset, std::uint32_t value,
                                std::uint64_t byte_enables = 0xF) {
  return ports::RegReq{true, write, static_cast<std::uint16_t>(offset), value,
                       static_cast<std::uint8_t>(byte_enables)}
      .word();
}

constexpr std::uint32_t data(std::uint64_t response) { return ports::RegRsp::of(response).rdata; }
constexpr bool failed(std::uint64_t response) { return ports::RegRsp::of(response).err; }

}  // namespace headstack::reg_port
