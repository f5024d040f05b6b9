// SPDX-License-Identifier: Apache-2.0
// headstack-translate PROGRAM.elf FOLDER PARTS: the program as C++ sources in a folder
// (sim/core/translator.hpp).
// headstack-translate --key PROGRAM.elf: the name of its translation
// (sim/core/translation_file.hpp).
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/core/translation_file.hpp"
#include "sim/core/translator.hpp"
#include "sim/soc/elf_image.hpp"
#include "sim/soc/soc_ports.hpp"

namespace {

using headstack::core::Program;
using headstack::soc::ElfError;
using headstack::soc::ElfImage;

// Bytes of the trap vectors, before the first instruction (hdl/README.md).
constexpr std::uint32_t kVectors = 32;

Program program_of(const ElfImage& image) {
  Program program;
  program.ram_bytes = headstack::soc::kFirmwareRamBytes;
  program.stack_limit = image.stack_limit();
  program.bytes = image.code();
  if (program.bytes.empty()) {
    throw ElfError(image.path() + ": no code at address 0; link it with firmware/start/soc.ld");
  }
  for (std::uint32_t vector = 0; vector < kVectors; ++vector) program.roots.push_back(4 * vector);
  program.roots.push_back(image.entry());
  std::uint32_t constants = 0;
  for (const ElfImage::Function& function : image.functions()) {
    program.roots.push_back(function.address);
    constants = std::max(constants, (function.address + function.bytes + 3) / 4 * 4);
  }
  // Words of a switch's table are roots. Any other word like an address makes a unit without use.
  for (std::uint32_t at = constants; at + 4 <= program.bytes.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, program.bytes.data() + at, 4);
    if (word < constants && word % 2 == 0) program.roots.push_back(word);
  }
  return program;
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(file.string() + ": cannot be written; is the disk full?");
}

}  // namespace

int main(int argc, char** argv) {
  const bool wants_key = argc == 3 && std::strcmp(argv[1], "--key") == 0;
  if (!wants_key && (argc != 4 || std::atoi(argv[3]) < 1)) {
    std::fprintf(stderr,
                 "usage: headstack-translate PROGRAM.elf FOLDER PARTS | --key PROGRAM.elf\n");
    return 2;
  }
  try {
    const ElfImage image = ElfImage::read(wants_key ? argv[2] : argv[1]);
    if (wants_key) {
      std::printf("%s\n",
                  headstack::core::translation_key(image.code(), image.stack_limit()).c_str());
      return 0;
    }
    const Program program = program_of(image);
    const auto files = translate(program, static_cast<unsigned>(std::atoi(argv[3])));
    for (const auto& [name, text] : files) write(std::filesystem::path(argv[2]) / name, text);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "headstack-translate: %s\n", error.what());
    return 1;
  }
  return 0;
}
