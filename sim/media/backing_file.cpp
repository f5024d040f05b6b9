// SPDX-License-Identifier: Apache-2.0
#include "sim/media/backing_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "sim/assert.hpp"

namespace headstack::media {
namespace {

std::string error_text(int error) { return std::generic_category().message(error); }

int open_flags(FileMode mode) {
  switch (mode) {
    case FileMode::kCreate: return O_RDWR | O_CREAT | O_EXCL;
    case FileMode::kReadWrite: return O_RDWR;
    case FileMode::kCreateOrOpen: return O_RDWR | O_CREAT;
    case FileMode::kReadOnly: return O_RDONLY;
  }
  HEADSTACK_ASSERT(false, "a FileMode is one of its four values");
}

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

// Bitmap bits of the last chunk that stand for sectors of the drive.
std::uint64_t last_chunk_mask(std::uint64_t sector_count) {
  const std::uint64_t used = sector_count % kChunkSectors;
  return used == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << used) - 1;
}

std::uint64_t count_bits(std::uint64_t mask) {
  return static_cast<std::uint64_t>(__builtin_popcountll(mask));
}

}  // namespace

std::shared_ptr<BackingFile> BackingFile::open(const std::string& path, SectorFormatPtr format,
                                               FileMode mode) {
  std::shared_ptr<BackingFile> file(new BackingFile(path, std::move(format), mode));
  file->open_descriptor();
  file->lock();
  const bool may_make = mode == FileMode::kCreate || mode == FileMode::kCreateOrOpen;
  if (may_make && file->is_unfinished()) file->make_new();
  file->check_existing();
  if (mode != FileMode::kReadOnly) file->reserve_bitmap();
  file->map();
  file->scan_bitmap();
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

void BackingFile::open_descriptor() {
  descriptor_ = ::open(path_.c_str(), open_flags(mode_) | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    const int error = errno;
    fail("cannot be opened (" + error_text(error) + "); " + open_remedy(error));
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    fail("is not a regular file; give the path of a media file");
  }
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

bool BackingFile::is_unfinished() const {
  const std::uint64_t size = size_on_disk();
  return size == 0 ||
         (size == kFileHeaderBytes && find_file_header_error(read_header(), *format_).empty());
}

void BackingFile::make_new() {
  const FileHeader header = encode_file_header(*format_);
  // The length comes last: a process that is killed here leaves a header and nothing else. Such a
  // file has no content to lose, and is_unfinished() knows it.
  int error = 0;
  if (::pwrite(descriptor_, header.data(), header.size(), 0) !=
          static_cast<ssize_t>(header.size()) ||
      ::ftruncate(descriptor_, static_cast<off_t>(layout_.file_bytes)) != 0) {
    error = errno;
  } else {
    error = allocate(layout_.bitmap_offset, layout_.slots_offset - layout_.bitmap_offset);
  }
  if (error == 0) return;
  // This process holds the lock and found the file empty, so no data of others are lost.
  if (mode_ == FileMode::kCreate) {
    ::unlink(path_.c_str());
  } else if (::ftruncate(descriptor_, 0) != 0) {
    fail("cannot be emptied again after it could not be made; delete it");
  }
  fail("cannot be made " + std::to_string(layout_.file_bytes) + " bytes long (" +
       error_text(error) + "); free disk space, or choose another folder");
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

void BackingFile::scan_bitmap() {
  const std::uint64_t chunk_count = format_->chunk_count();
  for (ChunkNumber number = 0; number < chunk_count; ++number) {
    const std::uint64_t mask = mask_of(number);
    if (mask == 0) continue;
    written_chunks_.insert(written_chunks_.end(), number);
    written_count_ += count_bits(mask);
  }
  if ((mask_of(chunk_count - 1) & ~last_chunk_mask(format_->geometry().sector_count)) != 0) {
    fail(
        "has a damaged bitmap (it marks sectors past the last one); take a backup copy, or delete "
        "the file to start from formatted media");
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

/// A file may have lost the space of its bitmap in a copy.
void BackingFile::reserve_bitmap() const {
  const int error = allocate(layout_.bitmap_offset, layout_.slots_offset - layout_.bitmap_offset);
  if (error == 0) return;
  fail("cannot take the space of its bitmap (" + error_text(error) +
       "); free space on its disk and run again, or open it read-only");
}

void BackingFile::reserve(ChunkNumber number) {
  assert_may_write();
  if (mask_of(number) != 0) return;
  const std::uint64_t regions[][2] = {
      {layout_.bitmap_offset + number * 8, 8},
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
  store_little_endian(mapped_ + layout_.bitmap_offset + number * 8, mask, 8);
  if (mask == 0) {
    written_chunks_.erase(number);
  } else {
    written_chunks_.insert(number);
  }
  written_count_ = written_count_ - count_bits(before) + count_bits(mask);
}

std::uint64_t BackingFile::mask_of(ChunkNumber number) const {
  return load_little_endian(mapped_ + layout_.bitmap_offset + number * 8, 8);
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
