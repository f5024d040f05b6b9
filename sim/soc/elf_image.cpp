#include "sim/soc/elf_image.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <tuple>

namespace headstack::soc {
namespace {

// Offsets and values of the ELF-32 file format (Tool Interface Standard 1.2, part 1) and the RISC-V
// ELF psABI.
constexpr std::size_t kFileHeaderBytes = 52;
constexpr std::size_t kProgramHeaderBytes = 32;
constexpr std::uint8_t kClass32 = 1;
constexpr std::uint8_t kLittleEndian = 1;
constexpr std::uint16_t kTypeExecutable = 2;
constexpr std::uint16_t kMachineRiscV = 243;
constexpr std::uint32_t kSegmentLoad = 1;
constexpr std::uint32_t kFlagExecutable = 1;
constexpr std::size_t kSectionHeaderBytes = 40;
constexpr std::uint32_t kSectionSymbols = 2;
constexpr std::size_t kSymbolBytes = 16;
constexpr unsigned kSymbolObject = 1;
constexpr unsigned kSymbolFunction = 2;

// A program larger than the core's whole address space of RAM would be a broken header.
constexpr std::uint32_t kSegmentLimitBytes = 1U << 24;

/// Fields of a file; what lies past its end is an error.
class Reader {
 public:
  Reader(const std::string& path, const std::uint8_t* file, std::size_t size)
      : path_(path), file_(file), size_(size) {}

  [[noreturn]] void fail(const std::string& what) const { throw ElfError(path_ + ": " + what); }

  void require(std::uint64_t offset, std::uint64_t bytes) const {
    if (offset + bytes > size_) {
      fail("the file ends at byte " + std::to_string(size_) + ", but says of itself that it has " +
           std::to_string(offset + bytes) + "; it is truncated, build it again");
    }
  }

  std::uint8_t byte(std::size_t offset) const { return file_[offset]; }

  std::uint16_t half(std::size_t offset) const {
    require(offset, 2);
    return static_cast<std::uint16_t>(file_[offset] | (file_[offset + 1] << 8));
  }

  std::uint32_t word(std::size_t offset) const {
    return half(offset) | (std::uint32_t{half(offset + 2)} << 16);
  }

 private:
  const std::string& path_;
  const std::uint8_t* file_;
  std::size_t size_;
};

void check_kind(const Reader& in, std::size_t size) {
  constexpr std::array<std::uint8_t, 4> kMagic = {0x7F, 'E', 'L', 'F'};
  for (std::size_t i = 0; i < kMagic.size(); ++i) {
    if (i >= size || in.byte(i) != kMagic[i]) in.fail("not an ELF file; give the linked firmware");
  }
  in.require(0, kFileHeaderBytes);
  if (in.byte(4) != kClass32 || in.byte(5) != kLittleEndian || in.half(18) != kMachineRiscV) {
    in.fail(
        "an ELF file for another machine; it must be 32-bit RISC-V (riscv64-unknown-elf-gcc "
        "-march=rv32imc)");
  }
  if (in.half(16) != kTypeExecutable) {
    in.fail("not linked yet: the ELF type is " + std::to_string(in.half(16)) +
            ", not 2 (executable)");
  }
}

std::string string_at(const Reader& in, std::size_t offset) {
  std::string text;
  for (;; ++offset) {
    in.require(offset, 1);
    if (in.byte(offset) == 0) return text;
    text += static_cast<char>(in.byte(offset));
  }
}

/// The symbols of one kind in one symbol table, whose names are in a table of their own.
void read_table(const Reader& in, std::size_t symbols, std::size_t names, unsigned kind,
                std::vector<ElfImage::Symbol>& found) {
  const std::size_t begin = in.word(symbols + 16);
  const std::size_t bytes = in.word(symbols + 20);
  const std::size_t strings = in.word(names + 16);
  in.require(begin, bytes);
  for (std::size_t at = begin; at + kSymbolBytes <= begin + bytes; at += kSymbolBytes) {
    if ((in.byte(at + 12) & 0xFU) != kind) continue;
    const std::string name = string_at(in, strings + in.word(at));
    // What the compiler makes of a function has its name, and behind a point what was made.
    const bool is_function = kind == kSymbolFunction;
    found.push_back(
        {in.word(at + 4), in.word(at + 8), is_function ? name.substr(0, name.find('.')) : name});
  }
}

std::vector<ElfImage::Symbol> read_symbols(const Reader& in, unsigned kind) {
  std::vector<ElfImage::Symbol> found;
  const std::size_t table = in.word(32);
  const std::size_t stride = in.half(46);
  const std::size_t count = in.half(48);
  if (count > 0 && stride < kSectionHeaderBytes) in.fail("its section headers are too short");
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t header = table + i * stride;
    in.require(header, kSectionHeaderBytes);
    if (in.word(header + 4) != kSectionSymbols) continue;
    const std::size_t names = table + in.word(header + 24) * stride;
    in.require(names, kSectionHeaderBytes);
    read_table(in, header, names, kind, found);
  }
  std::sort(found.begin(), found.end(), [](const ElfImage::Symbol& a, const ElfImage::Symbol& b) {
    return std::tie(a.address, a.name) < std::tie(b.address, b.name);
  });
  return found;
}

}  // namespace

std::string hex(std::uint32_t value) {
  std::array<char, 11> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", value);
  return text.data();
}

ElfImage ElfImage::parse(const std::string& path, const std::vector<std::uint8_t>& file) {
  return parse(path, file.data(), file.size());
}

ElfImage ElfImage::parse(const std::string& path, const std::uint8_t* file, std::size_t size) {
  const Reader in(path, file, size);
  check_kind(in, size);
  ElfImage image;
  image.path_ = path;
  image.entry_ = in.word(24);
  const std::uint32_t table = in.word(28);
  const std::size_t stride = in.half(42);
  const std::size_t count = in.half(44);
  if (count > 0 && stride < kProgramHeaderBytes) in.fail("its program headers are too short");
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t header = table + i * stride;
    in.require(header, kProgramHeaderBytes);
    const std::uint32_t offset = in.word(header + 4);
    const std::uint32_t address = in.word(header + 12);
    const std::uint32_t file_bytes = in.word(header + 16);
    const std::uint32_t memory_bytes = in.word(header + 20);
    if (in.word(header) != kSegmentLoad || memory_bytes == 0) continue;
    in.require(offset, file_bytes);
    if (file_bytes > memory_bytes || memory_bytes > kSegmentLimitBytes) {
      in.fail("its segment at " + hex(address) + " has an impossible size");
    }
    const bool executable = (in.word(header + 24) & kFlagExecutable) != 0;
    Segment segment{address, std::vector<std::uint8_t>(memory_bytes), executable};
    std::copy_n(file + offset, file_bytes, segment.bytes.begin());
    image.segments_.push_back(std::move(segment));
  }
  if (image.segments_.empty()) in.fail("it has nothing to load");
  image.functions_ = read_symbols(in, kSymbolFunction);
  image.objects_ = read_symbols(in, kSymbolObject);
  return image;
}

void ElfImage::check_fits(std::uint32_t ram_bytes) const {
  for (const Segment& segment : segments_) {
    const std::uint64_t end = std::uint64_t{segment.address} + segment.bytes.size();
    if (end <= ram_bytes) continue;
    throw ElfError(path_ + ": a segment at " + hex(segment.address) + " of " +
                   std::to_string(segment.bytes.size()) + " bytes does not fit into the " +
                   std::to_string(ram_bytes / 1024) +
                   " KiB of firmware RAM at address 0; link it with firmware/start/soc.ld");
  }
}

const ElfImage::Function* ElfImage::function_at(std::uint32_t address) const {
  auto next = std::upper_bound(
      functions_.begin(), functions_.end(), address,
      [](std::uint32_t wanted, const Function& function) { return wanted < function.address; });
  if (next == functions_.begin()) return nullptr;
  const Function& function = *--next;
  return address - function.address < function.bytes ? &function : nullptr;
}

const ElfImage::Symbol* ElfImage::object(const std::string& name) const {
  const auto found = std::find_if(objects_.begin(), objects_.end(),
                                  [&name](const Symbol& symbol) { return symbol.name == name; });
  return found == objects_.end() ? nullptr : &*found;
}

ElfImage ElfImage::read(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw ElfError(path + ": cannot be read; is it there?");
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg()));
  // As it comes: most of it is for debuggers.
  const std::unique_ptr<std::uint8_t[]> file(new std::uint8_t[size]);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(file.get()), static_cast<std::streamsize>(size));
  if (!in) throw ElfError(path + ": cannot be read to its end; is it a file?");
  return parse(path, file.get(), size);
}

}  // namespace headstack::soc
