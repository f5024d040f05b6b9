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
#include <string_view>
#include <vector>

#include "tests/paths.hpp"
#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {

/// RISC-V instructions, low byte first; those of the C extension have 16 bits.
namespace code {
using namespace std::string_view_literals;

constexpr std::string_view kBreak = "\x02\x90"sv;            // c.ebreak
constexpr std::string_view kReturn = "\x82\x80"sv;           // c.jr ra
constexpr std::string_view kIllegal = "\xff\xff\xff\xff"sv;  // never an instruction
constexpr std::string_view kSpin = "\x01\xa0"sv;             // c.j 0
// csrw mie, zero: no interrupt ends the sleep; wfi; c.j -4
constexpr std::string_view kSleep = "\x73\x10\x40\x30\x73\x00\x50\x10\xf5\xbf"sv;
// lui t0, 0x50001; c.jalr t0
constexpr std::string_view kCallNowhere = "\xb7\x12\x00\x50\x82\x92"sv;
}  // namespace code

/// The begin of a function in the program.
struct ProgramFunction {
  std::uint32_t address = 0;
  std::size_t offset = 0;  // in the file
};

/// Throws if the program has no such function.
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

/// A copy of the firmware in which `function` begins with these instructions.
inline void write_patched_firmware(const std::string& function, std::string_view instructions,
                                   const std::string& path) {
  std::string elf = slurp(test::drive_elf());
  elf.replace(find_function(elf, function).offset, instructions.size(), instructions);
  std::ofstream(path, std::ios::binary) << elf;
}

}  // namespace headstack::scenario
