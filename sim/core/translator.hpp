// SPDX-License-Identifier: Apache-2.0
/// @file
/// Writes a program as C++ (translation.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headstack::core {

struct Program {
  std::uint32_t ram_bytes = 0;
  std::vector<std::uint8_t> bytes;   // RAM from address 0 on; its length is a multiple of 4
  std::vector<std::uint32_t> roots;  // addresses where it may be entered: vectors, functions
  std::uint32_t stack_limit = 0;     // lowest address of the stack; 0: it is not checked
};

/// Source files by name, without a folder. They depend on the program alone.
/// @param parts  number of files that can be compiled in parallel.
std::map<std::string, std::string> translate(const Program& program, unsigned parts);

}  // namespace headstack::core
