// SPDX-License-Identifier: Apache-2.0
/// @file
/// The firmware's program with a function that fails on purpose.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/paths.hpp"
#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {

/// Instructions of RISC-V's C extension, in the order of their bytes.
constexpr const char* kEbreak = "\x02\x90";
constexpr const char* kReturn = "\x82\x80";

/// Where a function of the program begins.
struct ProgramFunction {
  std::uint32_t address = 0;
  std::size_t offset = 0;  // in the file
};

/// Throws where the program has no such function.
inline ProgramFunction find_function(const std::string& elf, const std::string& function) {
  const auto at = [&elf](std::size_t offset) { return elf.data() + offset; };
  Elf32_Ehdr header;
  std::memcpy(&header, at(0), sizeof header);
  std::vector<Elf32_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), at(header.e_shoff), sections.size() * sizeof(Elf32_Shdr));
  for (const Elf32_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const std::size_t names = sections[section.sh_link].sh_offset;
    for (std::size_t i = 0; i < section.sh_size / sizeof(Elf32_Sym); ++i) {
      Elf32_Sym symbol;
      std::memcpy(&symbol, at(section.sh_offset + i * sizeof symbol), sizeof symbol);
      if (function != at(names + symbol.st_name)) continue;
      const Elf32_Shdr& code = sections.at(symbol.st_shndx);
      return {symbol.st_value, code.sh_offset + symbol.st_value - code.sh_addr};
    }
  }
  throw std::runtime_error("no function " + function);
}

/// A copy of the firmware in which `function` begins with this instruction.
inline void write_patched_firmware(const std::string& function, const char* instruction,
                                   const std::string& path) {
  std::string elf = slurp(test::drive_elf());
  elf.replace(find_function(elf, function).offset, 2, instruction, 2);
  std::ofstream(path, std::ios::binary) << elf;
}

}  // namespace headstack::scenario
