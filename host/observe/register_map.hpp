// SPDX-License-Identifier: Apache-2.0
// The registers of the drive's blocks by name, from their descriptions (hdl/regs/*.rdl).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/tlm/registers/register_name.hpp"

namespace headstack::observe {

struct RegisterBlock {
  std::uint32_t base = 0;  // address of the block for the core
  const char* name = "";
  std::vector<tlm::RegisterName> registers;
  std::vector<tlm::RegisterField> fields;
};

/// Size of a block's page in the address map (hdl/ports/reg_pkg.sv, RegAddrWidth).
constexpr std::uint32_t kBlockBytes = 0x1000;

/// The blocks in the order of the address map.
const std::vector<RegisterBlock>& register_blocks();

}  // namespace headstack::observe
