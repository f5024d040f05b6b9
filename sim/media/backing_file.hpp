// SPDX-License-Identifier: Apache-2.0
/// @file
/// A media file, mapped: it keeps the platters' content beyond the process.
///
/// Ownership: the file stays open, mapped and locked while the store lives, or the last of its
/// snapshots and branches. Locks (flock): writers exclude all others, readers exclude writers, in
/// this process too. The lock is advisory: a process that ignores it can still do harm. If that
/// truncates the file, this process dies of SIGBUS.
///
/// Atomicity, and its limits:
/// - A new file is made under another name (`.PID.new` at its end), is brought to the disk, and
/// then
///   gets its name. So it is there as a whole or not at all, whatever happens. A process that is
///   killed meanwhile leaves the other name, which may be deleted.
/// - This process exits or aborts: everything written stays, in order. If it is killed in the
///   middle of a sector write, that one sector may be torn. A torn sector does not match its check
///   bytes, as on a real drive. A restore() cut short leaves a mix of old and new chunks. An entry
///   of the map is written after the sector that it marks, by one store: it is old or new.
/// - The host crashes or loses power: the kernel writes pages back in any order, so any mix of old
///   and new is possible. What was written before the last sync() that returned is safe. Entries of
///   the map do not cross blocks of the host's disk, so that each is old or new. A sector that an
///   entry marks before its bytes have come does not match its check bytes.
/// - Disk full: space is reserved for the map when the file is opened, and for a chunk before it is
///   first touched. So a full disk is an exception with nothing changed, never a SIGBUS in the
///   middle. (A tmpfs takes space for a page that is only read.)
/// - fork(): parent and child share the mapping. Writing from the child is a bug and asserted. Runs
///   that use fork() for checkpoints open the file read_only: each process then has writes of its
///   own.
///
/// Errors: MediaFileError.
#pragma once

#include <sys/types.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/media/chunk_source.hpp"
#include "sim/media/file_header.hpp"
#include "sim/media/media_file_error.hpp"

namespace headstack::media {

enum class FileMode {
  kCreate,        ///< Make a new file; one that exists is an error.
  kReadWrite,     ///< Open a file that exists; writes go into it.
  kCreateOrOpen,  ///< read_write, after making the file if nothing is there. An empty file is one
                  ///< that was damaged.
  kReadOnly,      ///< Open a file that exists; writes stay in this store's memory.
};

class BackingFile final : public ChunkSource {
 public:
  /// Opens, locks, checks and maps `path`, and checks its map of written sectors.
  [[nodiscard]] static std::shared_ptr<BackingFile> open(const std::string& path,
                                                         SectorFormatPtr format, FileMode mode);
  ~BackingFile() override;
  BackingFile(const BackingFile&) = delete;
  BackingFile& operator=(const BackingFile&) = delete;

  [[nodiscard]] ChunkRef chunk(ChunkNumber number) const override;
  [[nodiscard]] std::vector<ChunkNumber> chunk_numbers() const override;
  [[nodiscard]] std::uint64_t written_count() const override { return written_count_; }
  [[nodiscard]] std::size_t resident_bytes() const override { return 0; }

  // Valid only on a file opened for writing.

  /// Takes disk space for a chunk; throws when there is none. Costs nothing for a written chunk.
  void reserve(ChunkNumber number);

  /// Writes one sector of a reserved chunk.
  void write_sector(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check);

  /// Overwrites a reserved chunk; with an empty `with` all its sectors are never-written again.
  void replace_chunk(ChunkNumber number, ChunkRef with);

  /// Returns when everything written so far is on the disk.
  void sync();

 private:
  BackingFile(std::string path, SectorFormatPtr format, FileMode mode);

  /// Opens the file. False if nothing is there, and the file may be made.
  [[nodiscard]] bool open_existing();
  void lock();
  void make_new();
  [[nodiscard]] int fill_new() const;
  /// Takes disk space. @return 0, or an errno.
  [[nodiscard]] int allocate(std::uint64_t offset, std::uint64_t bytes) const;
  void reserve_map() const;
  void check_existing();
  void map();
  void scan_map();
  [[nodiscard]] std::uint64_t entry_offset(ChunkNumber number) const {
    return layout_.map_offset + number * kMapEntryBytes;
  }
  void set_mask(ChunkNumber number, std::uint64_t mask);
  [[nodiscard]] std::uint64_t mask_of(ChunkNumber number) const;
  void assert_may_write() const;
  [[nodiscard]] std::uint64_t size_on_disk() const;
  [[nodiscard]] FileHeader read_header() const;
  [[noreturn]] void fail_open(int error) const;
  [[noreturn]] void fail(const std::string& problem_and_remedy) const;

  std::string path_;
  SectorFormatPtr format_;
  FileMode mode_;
  FileLayout layout_;
  pid_t owner_pid_;
  int descriptor_ = -1;
  std::uint8_t* mapped_ = nullptr;
  std::set<ChunkNumber> written_chunks_;
  std::uint64_t written_count_ = 0;
};

}  // namespace headstack::media
