// SPDX-License-Identifier: Apache-2.0
/// @file
/// A program for the drive's core: the parts of an ELF file that go into memory.
///
/// Reads executable ELF32 files, little-endian, for RISC-V, as the cross linker makes them. Any
/// other file is an ElfError that names the file and its fault.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace headstack::soc {

/// The error of a program's file: "FILE: what is wrong; what to do".
struct ElfError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ElfImage {
 public:
  /// The content at an address: `memory_bytes`, of which the file holds the first.
  struct Segment {
    std::uint32_t address = 0;
    std::uint32_t memory_bytes = 0;
    std::vector<std::uint8_t> bytes;
    bool executable = false;

    /// The whole segment: bytes that the file omits (.bss) are zero.
    std::vector<std::uint8_t> memory() const;
  };

  /// A function of the program, or an object of static storage.
  struct Symbol {
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    std::string name;
  };
  using Function = Symbol;

  /// Reads a file. Throws ElfError.
  static ElfImage read(const std::string& path);
  /// Reads a file's bytes; `path` is for messages. Throws ElfError.
  static ElfImage parse(const std::string& path, const std::vector<std::uint8_t>& file);
  static ElfImage parse(const std::string& path, const std::uint8_t* file, std::size_t size);

  const std::string& path() const { return path_; }
  std::uint32_t entry() const { return entry_; }
  const std::vector<Segment>& segments() const { return segments_; }
  /// RAM from address 0 up to the end of the code, in whole words; empty if no code is there.
  std::vector<std::uint8_t> code() const;
  /// The lowest address of the stack: the symbol __stack_limit of firmware/start/soc.ld. 0 without
  /// it.
  std::uint32_t stack_limit() const { return stack_limit_; }
  /// Throws ElfError when a segment does not fit into `ram_bytes` of RAM at address 0.
  void check_fits(std::uint32_t ram_bytes) const;
  /// Functions by address, with the names of the source; several may be parts of one function.
  /// Empty if the file was stripped of its symbols.
  const std::vector<Function>& functions() const { return functions_; }
  /// The function that contains an address; null if none does.
  const Function* function_at(std::uint32_t address) const;
  /// The object with this name, or null. Of several, it is the one at the lowest address.
  const Symbol* object(const std::string& name) const;

 private:
  std::string path_;
  std::uint32_t entry_ = 0;
  std::uint32_t stack_limit_ = 0;
  std::vector<Segment> segments_;
  std::vector<Function> functions_;
  std::vector<Symbol> objects_;  // objects by address
};

/// A section of a file, by its name; empty if the file cannot be read, or lacks it.
std::vector<std::uint8_t> read_section(const std::string& path, const std::string& name);

/// The number in hexadecimal: 0x and eight digits.
std::string hex(std::uint32_t value);

}  // namespace headstack::soc
