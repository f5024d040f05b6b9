/// @file
/// A program for the drive's core: what of an ELF file goes into memory.
///
/// Reads ELF32, little-endian, RISC-V, executable: what the cross linker makes. Everything else is
/// an ElfError that names the file and what is wrong with it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace headstack::soc {

/// "FILE: what is wrong; what to do".
struct ElfError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ElfImage {
 public:
  /// What lies at an address: `memory_bytes`, of which the file has the first.
  struct Segment {
    std::uint32_t address = 0;
    std::uint32_t memory_bytes = 0;
    std::vector<std::uint8_t> bytes;
    bool executable = false;

    /// All of it: what the file leaves out (.bss) is zero.
    std::vector<std::uint8_t> memory() const;
  };

  /// A function of the program, or an object of static storage.
  struct Symbol {
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    std::string name;
  };
  using Function = Symbol;

  /// Throws ElfError.
  static ElfImage read(const std::string& path);
  /// The same from bytes; `path` is for messages.
  static ElfImage parse(const std::string& path, const std::vector<std::uint8_t>& file);
  static ElfImage parse(const std::string& path, const std::uint8_t* file, std::size_t size);

  const std::string& path() const { return path_; }
  std::uint32_t entry() const { return entry_; }
  const std::vector<Segment>& segments() const { return segments_; }
  /// Throws ElfError when a segment does not fit into so much RAM at address 0.
  void check_fits(std::uint32_t ram_bytes) const;
  /// By address, with the names that the source has (several may be parts of one function); none
  /// when the file was stripped of its symbols.
  const std::vector<Function>& functions() const { return functions_; }
  /// The function that an address lies in; null between them.
  const Function* function_at(std::uint32_t address) const;
  /// The object with this name, of several the one at the lowest address; null without one.
  const Symbol* object(const std::string& name) const;

 private:
  std::string path_;
  std::uint32_t entry_ = 0;
  std::vector<Segment> segments_;
  std::vector<Function> functions_;
  std::vector<Symbol> objects_;  // by address
};

/// 0x and eight digits.
std::string hex(std::uint32_t value);

}  // namespace headstack::soc
