// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/elf_image.hpp"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <tuple>

namespace headstack::soc {
namespace {

// A program larger than the core's whole address space of RAM would be a broken header.
constexpr std::uint32_t kSegmentLimitBytes = 1U << 24;

/// Reads one file by libelf, which reads nothing past its end; other files are an ElfError.
class Reader {
 public:
  Reader(const std::string& path, const std::uint8_t* file, std::size_t size)
      : path_(path), size_(size) {
    if (size < SELFMAG || std::memcmp(file, ELFMAG, SELFMAG) != 0) {
      fail("not an ELF file; give the linked firmware");
    }
    require(sizeof(Elf32_Ehdr));
    if (file[EI_CLASS] != ELFCLASS32 || file[EI_DATA] != ELFDATA2LSB) fail_machine();
    elf_version(EV_CURRENT);
    // libelf does not write to memory that is not its own copy; C has one type for both cases.
    char* bytes = const_cast<char*>(reinterpret_cast<const char*>(file));
    elf_.reset(elf_memory(bytes, size));
    header_ = require(elf32_getehdr(elf_.get()));
    // libelf treats a table past the file's end as an empty one.
    require(std::uint64_t{header_->e_phoff} + header_->e_phnum * header_->e_phentsize);
    require(std::uint64_t{header_->e_shoff} + header_->e_shnum * header_->e_shentsize);
    if (header_->e_machine != EM_RISCV) fail_machine();
  }

  [[noreturn]] void fail(const std::string& what) const { throw ElfError(path_ + ": " + what); }

  /// Requires that the file has at least `bytes` bytes.
  void require(std::uint64_t bytes) const {
    if (bytes > size_) {
      fail("the file ends at byte " + std::to_string(size_) + ", but says of itself that it has " +
           std::to_string(bytes) + "; it is truncated, build it again");
    }
  }

  /// Requires that libelf returned a result, and returns it.
  template <typename T>
  T* require(T* given) const {
    if (given == nullptr) {
      fail(std::string(elf_errmsg(-1)) + "; it is damaged or truncated, build it again");
    }
    return given;
  }

  const Elf32_Ehdr& header() const { return *header_; }
  Elf* elf() const { return elf_.get(); }

 private:
  struct End {
    void operator()(Elf* elf) const { elf_end(elf); }
  };

  [[noreturn]] void fail_machine() const {
    fail(
        "an ELF file for another machine; it must be 32-bit RISC-V (riscv64-unknown-elf-gcc "
        "-march=rv32imc)");
  }

  const std::string& path_;
  std::size_t size_;
  std::unique_ptr<Elf, End> elf_;
  const Elf32_Ehdr* header_ = nullptr;
};

/// The parts of the symbol tables that an image needs.
struct Symbols {
  std::vector<ElfImage::Symbol>& functions;
  std::vector<ElfImage::Symbol>& objects;
  std::uint32_t& stack_limit;
};

/// Appends the functions and objects of a symbol table.
void read_table(const Reader& in, Elf_Scn* section, std::size_t names, const Symbols& found) {
  const Elf_Data* data = in.require(elf_getdata(section, nullptr));
  const auto* symbols = static_cast<const Elf32_Sym*>(data->d_buf);
  for (std::size_t i = 0; i < data->d_size / sizeof(Elf32_Sym); ++i) {
    const Elf32_Sym& symbol = symbols[i];
    const unsigned type = ELF32_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE) continue;
    const char* name = in.require(elf_strptr(in.elf(), names, symbol.st_name));
    if (type == STT_NOTYPE) {
      if (std::strcmp(name, "__stack_limit") == 0) found.stack_limit = symbol.st_value;
      continue;
    }
    // A variant that the compiler makes of a function has its name, a dot, and the kind of variant.
    const std::size_t length = type == STT_FUNC ? std::strcspn(name, ".") : std::strlen(name);
    (type == STT_FUNC ? found.functions : found.objects)
        .push_back({symbol.st_value, symbol.st_size, {name, length}});
  }
}

void sort(std::vector<ElfImage::Symbol>& symbols) {
  std::sort(symbols.begin(), symbols.end(),
            [](const ElfImage::Symbol& a, const ElfImage::Symbol& b) {
              return std::tie(a.address, a.name) < std::tie(b.address, b.name);
            });
}

void read_symbols(const Reader& in, const Symbols& found) {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(in.elf(), section)) != nullptr) {
    GElf_Shdr header;
    in.require(gelf_getshdr(section, &header));
    if (header.sh_type != SHT_SYMTAB) continue;
    read_table(in, section, header.sh_link, found);
  }
  sort(found.functions);
  sort(found.objects);
}

}  // namespace

std::string hex(std::uint32_t value) {
  std::array<char, 11> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", value);
  return text.data();
}

std::vector<std::uint8_t> ElfImage::Segment::memory() const {
  std::vector<std::uint8_t> memory = bytes;
  memory.resize(memory_bytes);
  return memory;
}

ElfImage ElfImage::parse(const std::string& path, const std::vector<std::uint8_t>& file) {
  return parse(path, file.data(), file.size());
}

ElfImage ElfImage::parse(const std::string& path, const std::uint8_t* file, std::size_t size) {
  const Reader in(path, file, size);
  if (in.header().e_type != ET_EXEC) {
    in.fail("not linked yet: the ELF type is " + std::to_string(in.header().e_type) +
            ", not 2 (executable)");
  }
  ElfImage image;
  image.path_ = path;
  image.entry_ = in.header().e_entry;
  for (int i = 0; i < in.header().e_phnum; ++i) {
    // The header is copied, since a table of a damaged file may begin at any byte.
    GElf_Phdr header;
    in.require(gelf_getphdr(in.elf(), i, &header));
    if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
    in.require(header.p_offset + header.p_filesz);
    // The copy has 64 bits for an address; this class of files has 32.
    const auto address = static_cast<std::uint32_t>(header.p_paddr);
    const auto memory_bytes = static_cast<std::uint32_t>(header.p_memsz);
    if (header.p_filesz > memory_bytes || memory_bytes > kSegmentLimitBytes) {
      in.fail("its segment at " + hex(address) + " has an impossible size");
    }
    const std::uint8_t* bytes = file + header.p_offset;
    image.segments_.push_back(
        {address, memory_bytes, {bytes, bytes + header.p_filesz}, (header.p_flags & PF_X) != 0});
  }
  if (image.segments_.empty()) in.fail("it has nothing to load");
  read_symbols(in, {image.functions_, image.objects_, image.stack_limit_});
  return image;
}

std::vector<std::uint8_t> ElfImage::code() const {
  std::vector<std::uint8_t> code;
  for (const Segment& segment : segments_) {
    if (segment.address == 0 && segment.executable) code = segment.memory();
  }
  code.resize((code.size() + 3) / 4 * 4);
  return code;
}

void ElfImage::check_fits(std::uint32_t ram_bytes) const {
  for (const Segment& segment : segments_) {
    const std::uint64_t end = std::uint64_t{segment.address} + segment.memory_bytes;
    if (end <= ram_bytes) continue;
    throw ElfError(path_ + ": a segment at " + hex(segment.address) + " of " +
                   std::to_string(segment.memory_bytes) + " bytes does not fit into the " +
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

namespace {

struct File {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::size_t size = 0;
};

/// Reads a file, without clearing the memory first: most of the file is for debuggers.
File read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw ElfError(path + ": cannot be read; is it there?");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw ElfError(path + ": is a folder; give the linked firmware, drive.elf");
  }
  File file;
  file.size = static_cast<std::size_t>(std::max<std::streamoff>(0, in.tellg()));
  file.bytes.reset(new std::uint8_t[file.size]);
  in.seekg(0);
  in.read(reinterpret_cast<char*>(file.bytes.get()), static_cast<std::streamsize>(file.size));
  if (!in) throw ElfError(path + ": cannot be read to its end; is it a file?");
  return file;
}

}  // namespace

ElfImage ElfImage::read(const std::string& path) {
  const File file = read_file(path);
  return parse(path, file.bytes.get(), file.size);
}

std::vector<std::uint8_t> read_section(const std::string& path, const std::string& name) try {
  const File file = read_file(path);
  const Reader in(path, file.bytes.get(), file.size);
  std::size_t names = 0;
  in.require(elf_getshdrstrndx(in.elf(), &names) == 0 ? &names : nullptr);
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(in.elf(), section)) != nullptr) {
    GElf_Shdr header;
    in.require(gelf_getshdr(section, &header));
    if (name != in.require(elf_strptr(in.elf(), names, header.sh_name))) continue;
    const Elf_Data* data = in.require(elf_getdata(section, nullptr));
    const auto* bytes = static_cast<const std::uint8_t*>(data->d_buf);
    return {bytes, bytes + data->d_size};
  }
  return {};
} catch (const ElfError&) {
  return {};
}

}  // namespace headstack::soc
