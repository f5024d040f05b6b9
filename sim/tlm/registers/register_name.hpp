// SPDX-License-Identifier: Apache-2.0
/// @file
/// Registers by name. Each block's generated header has a table of its own.
#pragma once

#include <cstdint>

namespace headstack::tlm {

/// One register, or an array of `count` registers at distances of `stride` bytes.
struct RegisterName {
  std::uint32_t offset = 0;  ///< In its block, bytes.
  std::uint32_t count = 1;
  std::uint32_t stride = 4;
  const char* name = "";
};

}  // namespace headstack::tlm
