// SPDX-License-Identifier: Apache-2.0
#include "sim/media/backing_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "sim/assert.hpp"

namespace headstack::media {
namespace {

std::string error_text(int error) { return std::generic_category().message(error); }

const char* open_remedy(int error) {
  switch (error) {
    case EEXIST: return "delete it, choose another name, or open it as it is";
    case ENOENT: return "check the path, and create the file and its folder first";
    case EACCES:
    case EPERM:
    case EROFS: return "change its permissions, or open it read-only if reading is enough";
    default: return "check the path";
  }
}

// Bits of the last chunk's bitmap that stand for sectors of the drive.
std::uint64_t last_chunk_mask(std::uint64_t sector_count) {
  const std::uint64_t used = sector_count % kChunkSectors;
  return used == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << used) - 1;
}

/// Writes an entry with one store instruction. A process is killed between instructions, so that
/// the map has either the old entry or the new one.
void store_entry(std::uint8_t* at, const MapEntry& entry) {
  using Whole = std::uint64_t __attribute__((vector_size(kMapEntryBytes), may_alias));
  Whole value;
  std::memcpy(&value, entry.data(), sizeof value);
  *reinterpret_cast<volatile Whole*>(at) = value;
}

std::uint64_t count_bits(std::uint64_t mask) {
  return static_cast<std::uint64_t>(__builtin_popcountll(mask));
}

}  // namespace

std::shared_ptr<BackingFile> BackingFile::open(const std::string& path, SectorFormatPtr format,
                                               FileMode mode) {
  std::shared_ptr<BackingFile> file(new BackingFile(path, std::move(format), mode));
  if (mode == FileMode::kCreate || !file->open_existing()) {
    file->make_new();
  } else {
    file->lock();
  }
  file->check_existing();
  if (mode != FileMode::kReadOnly) file->reserve_map();
  file->map();
  file->scan_map();
  return file;
}

BackingFile::BackingFile(std::string path, SectorFormatPtr format, FileMode mode)
    : path_(std::move(path)),
      format_(std::move(format)),
      mode_(mode),
      layout_(*format_),
      owner_pid_(::getpid()) {}

BackingFile::~BackingFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, layout_.file_bytes);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void BackingFile::fail_open(int error) const {
  fail("cannot be opened (" + error_text(error) + "); " + open_remedy(error));
}

bool BackingFile::open_existing() {
  const int flags = mode_ == FileMode::kReadOnly ? O_RDONLY : O_RDWR;
  descriptor_ = ::open(path_.c_str(), flags | O_CLOEXEC);
  if (descriptor_ < 0) {
    if (errno == ENOENT && mode_ == FileMode::kCreateOrOpen) return false;
    fail_open(errno);
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    fail("is not a regular file; give the path of a media file");
  }
  return true;
}

void BackingFile::lock() {
  const int kind = mode_ == FileMode::kReadOnly ? LOCK_SH : LOCK_EX;
  if (::flock(descriptor_, kind | LOCK_NB) == 0) return;
  const int error = errno;
  if (error == EWOULDBLOCK) {
    fail(
        "is in use by another store (or a snapshot or branch of one) here or in another process; "
        "close that one first, or open both read-only");
  }
  fail("cannot be locked (" + error_text(error) + "); move it to a local file system");
}

/// Makes the file, which gets its name when it is whole: a partial file with the name is damaged.
void BackingFile::make_new() {
  const std::string unfinished = path_ + "." + std::to_string(::getpid()) + ".new";
  ::unlink(unfinished.c_str());  // left by a process that was killed
  descriptor_ = ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail_open(errno);
  lock();
  int error = fill_new();
  const bool is_filled = error == 0;
  if (is_filled && ::link(unfinished.c_str(), path_.c_str()) != 0) error = errno;
  ::unlink(unfinished.c_str());
  if (error == 0) return;
  if (is_filled) fail_open(error);
  fail("cannot be made " + std::to_string(layout_.file_bytes) + " bytes long (" +
       error_text(error) + "); free disk space, or choose another folder");
}

/// Fills a new file. @return 0, or an errno.
int BackingFile::fill_new() const {
  const FileHeader header = encode_file_header(*format_);
  std::vector<std::uint8_t> head(layout_.slots_offset);
  std::copy(header.begin(), header.end(), head.begin());
  for (ChunkNumber number = 0; number < format_->chunk_count(); ++number) {
    const MapEntry entry = encode_map_entry(number, 0);
    std::copy(entry.begin(), entry.end(), head.begin() + entry_offset(number));
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(layout_.file_bytes)) != 0) return errno;
  if (const int error = allocate(0, head.size())) return error;
  for (std::size_t at = 0; at < head.size();) {
    const ssize_t now =
        ::pwrite(descriptor_, head.data() + at, head.size() - at, static_cast<off_t>(at));
    if (now < 0 && errno != EINTR) return errno;
    if (now > 0) at += static_cast<std::size_t>(now);
  }
  return ::fsync(descriptor_) == 0 ? 0 : errno;
}

void BackingFile::check_existing() {
  const std::uint64_t size = size_on_disk();
  const FileHeader header = size >= kFileHeaderBytes ? read_header() : FileHeader{};
  const std::string error = find_file_header_error(header, *format_);
  if (!error.empty()) fail(error);
  if (size != layout_.file_bytes) {
    fail("is " + std::to_string(size) + " bytes long, but must be " +
         std::to_string(layout_.file_bytes) +
         " (cut short in a copy?); take a backup copy, or delete the file to start from formatted "
         "media");
  }
}

void BackingFile::map() {
  const int protection = mode_ == FileMode::kReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
  void* at = ::mmap(nullptr, layout_.file_bytes, protection, MAP_SHARED, descriptor_, 0);
  if (at == MAP_FAILED) {
    fail("cannot be mapped (" + error_text(errno) +
         "); raise the address space limit (ulimit -v), or use a smaller drive");
  }
  mapped_ = static_cast<std::uint8_t*>(at);
}

void BackingFile::scan_map() {
  constexpr const char* kRemedy =
      "take a backup copy, or delete the file to start from formatted media";
  const std::uint64_t chunk_count = format_->chunk_count();
  for (ChunkNumber number = 0; number < chunk_count; ++number) {
    const std::uint64_t mask = mask_of(number);
    const MapEntry entry = encode_map_entry(number, mask);
    if (std::memcmp(entry.data(), mapped_ + entry_offset(number), entry.size()) != 0) {
      const std::uint64_t first = number * kChunkSectors;
      fail("has a damaged map of written sectors (the entry of sectors " + std::to_string(first) +
           " to " + std::to_string(first + kChunkSectors - 1) + "); " + kRemedy);
    }
    if (mask == 0) continue;
    written_chunks_.insert(written_chunks_.end(), number);
    written_count_ += count_bits(mask);
  }
  if ((mask_of(chunk_count - 1) & ~last_chunk_mask(format_->geometry().sector_count)) != 0) {
    fail(
        std::string("has a damaged map of written sectors (it marks sectors past the last one); ") +
        kRemedy);
  }
  const bool is_blank =
      std::all_of(mapped_ + entry_offset(chunk_count), mapped_ + layout_.slots_offset,
                  [](std::uint8_t byte) { return byte == 0; });
  if (!is_blank) {
    fail(std::string("has a damaged map of written sectors (bytes after it are not zero); ") +
         kRemedy);
  }
}

ChunkRef BackingFile::chunk(ChunkNumber number) const {
  const std::uint64_t mask = mask_of(number);
  if (mask == 0) return {};
  return {mask, mapped_ + layout_.slots_offset + number * layout_.chunk_bytes};
}

std::vector<ChunkNumber> BackingFile::chunk_numbers() const {
  return {written_chunks_.begin(), written_chunks_.end()};
}

int BackingFile::allocate(std::uint64_t offset, std::uint64_t bytes) const {
  int error = EINTR;
  while (error == EINTR) {
    error = ::posix_fallocate(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  }
  return error;
}

/// Takes the map's space again, which a copy of the file may have lost.
void BackingFile::reserve_map() const {
  const int error = allocate(layout_.map_offset, layout_.slots_offset - layout_.map_offset);
  if (error == 0) return;
  fail("cannot take the space of its map (" + error_text(error) +
       "); free space on its disk and run again, or open it read-only");
}

void BackingFile::reserve(ChunkNumber number) {
  assert_may_write();
  if (mask_of(number) != 0) return;
  const std::uint64_t regions[][2] = {
      {entry_offset(number), kMapEntryBytes},
      {layout_.slots_offset + number * layout_.chunk_bytes, layout_.chunk_bytes}};
  for (const auto& region : regions) {
    const int error = allocate(region[0], region[1]);
    if (error != 0) {
      fail("cannot take another sector (" + error_text(error) +
           "); free space on its disk and run again, or open it read-only");
    }
  }
}

void BackingFile::write_sector(SectorIndex index, const std::uint8_t* data,
                               const std::uint8_t* check) {
  assert_may_write();
  const ChunkNumber number = index / kChunkSectors;
  const std::uint64_t position = index % kChunkSectors;
  fill_slot(*format_, data, check,
            mapped_ + layout_.slots_offset + number * layout_.chunk_bytes +
                position * format_->slot_bytes());
  set_mask(number, mask_of(number) | (std::uint64_t{1} << position));
}

void BackingFile::replace_chunk(ChunkNumber number, ChunkRef with) {
  assert_may_write();
  std::uint8_t* slots = mapped_ + layout_.slots_offset + number * layout_.chunk_bytes;
  if (with.slots != nullptr) {
    std::memcpy(slots, with.slots, layout_.chunk_bytes);
  } else if (mask_of(number) != 0) {
    std::memset(slots, 0, layout_.chunk_bytes);
  }
  set_mask(number, with.written_mask);
}

void BackingFile::sync() {
  assert_may_write();
  if (::msync(mapped_, layout_.file_bytes, MS_SYNC) == 0) return;
  fail("cannot be brought to the disk (" + error_text(errno) + "); check the disk it lies on");
}

void BackingFile::set_mask(ChunkNumber number, std::uint64_t mask) {
  const std::uint64_t before = mask_of(number);
  if (mask == before) return;
  // If the process is killed here, no harm is done: a sector is marked as written only once its
  // bytes are there.
  std::atomic_signal_fence(std::memory_order_release);
  store_entry(mapped_ + entry_offset(number), encode_map_entry(number, mask));
  if (mask == 0) {
    written_chunks_.erase(number);
  } else {
    written_chunks_.insert(number);
  }
  written_count_ = written_count_ - count_bits(before) + count_bits(mask);
}

std::uint64_t BackingFile::mask_of(ChunkNumber number) const {
  return load_little_endian(mapped_ + entry_offset(number), 8);
}

void BackingFile::assert_may_write() const {
  HEADSTACK_ASSERT(mode_ != FileMode::kReadOnly, "a read-only media file is never written");
  HEADSTACK_ASSERT(::getpid() == owner_pid_,
                   "a forked child must not write its parent's media file: open it read_only");
}

std::uint64_t BackingFile::size_on_disk() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    fail("cannot be examined (" + error_text(errno) + "); check the disk it lies on");
  }
  return static_cast<std::uint64_t>(status.st_size);
}

FileHeader BackingFile::read_header() const {
  FileHeader header{};
  if (::pread(descriptor_, header.data(), header.size(), 0) !=
      static_cast<ssize_t>(header.size())) {
    fail("cannot be read (" + error_text(errno) + "); check the disk it lies on");
  }
  return header;
}

void BackingFile::fail(const std::string& problem_and_remedy) const {
  throw MediaFileError("media file '" + path_ + "' " + problem_and_remedy);
}

}  // namespace headstack::media
