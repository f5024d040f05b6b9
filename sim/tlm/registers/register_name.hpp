// SPDX-License-Identifier: Apache-2.0
/// @file
/// Registers by name. Each block's generated header has a table of its own.
#pragma once

#include <cstdint>

namespace headstack::tlm {

/// One register, or an array of `count` registers at distances of `stride` bytes.
struct RegisterName {
  std::uint32_t offset = 0;  ///< Bytes from the start of its block.
  std::uint32_t count = 1;
  std::uint32_t stride = 4;
  const char* name = "";
};

/// A named value of a field.
struct RegisterValueName {
  std::uint32_t value = 0;
  const char* name = "";
};

/// A field of the register (or of each in the array) at `offset`.
struct RegisterField {
  std::uint32_t offset = 0;
  std::uint32_t mask = 0;
  std::uint32_t shift = 0;
  bool readable = true;
  const char* name = "";
  const RegisterValueName* values = nullptr;  ///< Named values; null: none.
  std::uint32_t value_count = 0;
};

}  // namespace headstack::tlm
