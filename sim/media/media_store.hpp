// SPDX-License-Identifier: Apache-2.0
/// @file
/// The media store: the content of the platters, flaws included.
///
/// It holds the data and check bytes of every physical sector exactly as they were written, and
/// returns them as a head would read them. It computes no check bytes on the raw path: the
/// formatter does, and may be wrong. A sector that was never written reads as formatted: zero data
/// with its correct check bytes.
///
/// Units: sectors by SectorIndex, sizes in bytes; no notion of time.
/// Ownership: a store owns its content; movable, copied only on purpose (snapshot, branch). A file
///   stays open and locked until the store and all its snapshots and branches are gone.
/// Errors: damage on the media is a ReadStatus. Trouble with a backing file (missing, locked, of
///   another drive, disk full) throws MediaFileError. An index past the end or a null buffer is a
///   bug and asserted.
/// Determinism: results depend on the calls made and on the file's content, nothing else. Iteration
///   and hashes go in index order.
/// Threads: none. One thread uses a store and everything snapshotted from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/media/backing_file.hpp"
#include "sim/media/check_code.hpp"
#include "sim/media/flaw_spec.hpp"
#include "sim/media/flaw_table.hpp"
#include "sim/media/media_geometry.hpp"
#include "sim/media/media_power.hpp"
#include "sim/media/sparse_content.hpp"

namespace headstack::media {

/// Actual result of a read, for tests and statistics: the drive must detect damage by check bytes.
enum class ReadStatus {
  kOk,       ///< The bytes are as stored.
  kDamaged,  ///< The bytes do not match their check bytes (without check bytes, they are wrong).
};

/// The result of a write. The drive detects a fault by the preamplifier's signal alone.
enum class WriteStatus {
  kOk,     ///< The write is on the media, as far as the preamplifier can detect.
  kFault,  ///< No current flowed: everything is as it was.
};

/// A store at one moment: content, and flaws with their attempt counts. It is cheap to take, keep
/// and copy, and immutable. Sectors are shared with the store until one side writes.
class MediaSnapshot {
 public:
  [[nodiscard]] const MediaGeometry& geometry() const { return format_->geometry(); }
  [[nodiscard]] std::uint64_t written_count() const { return content_.written_count(); }

 private:
  friend class MediaStore;
  MediaSnapshot(SectorFormatPtr format, SparseContent content, FlawTable flaws);

  SectorFormatPtr format_;
  SparseContent content_;
  FlawTable flaws_;
};

class MediaStore {
 public:
  /// A store in memory. Asserts that find_geometry_error() finds nothing.
  ///
  /// @param check_code  Empty: default_check_code(), for 4 or 0 check bytes.
  explicit MediaStore(const MediaGeometry& geometry, CheckCode check_code = {});

  /// A branch: a new store in memory that starts as `snapshot` and then changes independently. It
  /// never writes into a file, whatever the snapshot was taken of.
  explicit MediaStore(const MediaSnapshot& snapshot);

  /// Opens a store over a media file; see FileMode. Asserts a good geometry, too. Flaws are not
  /// kept in the file: they belong to the specimen and are injected anew for every run.
  [[nodiscard]] static MediaStore open_file(const std::string& path, const MediaGeometry& geometry,
                                            FileMode mode, CheckCode check_code = {});

  [[nodiscard]] const MediaGeometry& geometry() const { return format_->geometry(); }

  // The view of the head.

  /// Reads one sector; counts as an attempt. Fills both buffers whatever the status.
  ///
  /// @param[out] check  May be null if the check bytes are not needed.
  [[nodiscard]] ReadStatus read(SectorIndex index, std::uint8_t* data, std::uint8_t* check);

  /// Whether a write to this sector would fail now for lack of head current (kWriteFault).
  [[nodiscard]] bool refuses_write(SectorIndex index) const { return flaws_.refuses_write(index); }

  /// Writes one sector, bytes as given. A pending misplaced write lands elsewhere. Counts as an
  /// attempt. Throws, with nothing changed, when the backing file's disk is full.
  ///
  /// @param check  May be null when there are no check bytes.
  WriteStatus write(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check);

  /// Writes bytes [from, to) of a sector's data and check bytes, taken from `field`, which has them
  /// all. The others stay as they are. The check bytes become the complement of those that the
  /// mixture would need: it always reads as bad. Everything else is as in write().
  WriteStatus write_part(SectorIndex index, const std::uint8_t* field, std::uint32_t from,
                         std::uint32_t to);

  /// The power of the media, for callers that cut it. Without power a write changes nothing, and
  /// returns kOk, because no drive is there to read the result.
  MediaPower& power() { return power_; }
  const MediaPower& power() const { return power_; }

  /// How a sector's header reads in a turn of the spindle. It is no attempt, and changes nothing.
  [[nodiscard]] HeaderRead read_header(SectorIndex index, std::uint64_t turn) const {
    return flaws_.read_header(index, turn);
  }
  /// Sectors in [first, first + count) whose headers may read badly, ascending.
  [[nodiscard]] std::vector<SectorIndex> flawed_headers(SectorIndex first,
                                                        std::uint64_t count) const {
    return flaws_.flawed_headers(first, count);
  }

  /// Stores data with their correct check bytes, bypassing all flaws. It is for loading images and
  /// for tests, not for the drive. It does not count as an attempt, and changes no flaw.
  void write_formatted(SectorIndex index, const std::uint8_t* data);

  // The view of observers: it bypasses all flaws, and changes nothing.

  /// Copies the bytes as stored. `check` may be null.
  void peek(SectorIndex index, std::uint8_t* data, std::uint8_t* check) const;

  [[nodiscard]] bool is_written(SectorIndex index) const;
  [[nodiscard]] std::uint64_t written_count() const { return content_->written_count(); }

  /// Memory taken by sectors, shared ones included; pages of a mapped file are not counted.
  [[nodiscard]] std::size_t resident_bytes() const { return content_->resident_bytes(); }

  using Visitor =
      std::function<void(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check)>;

  /// Calls `visit` for every written sector in index order. It must not write to this store.
  void visit_written(const Visitor& visit) const;

  /// FNV-1a (64 bits) over every written sector in index order: its index as 8 little-endian bytes,
  /// its data, its check bytes. A sector written with its previous content still counts as written.
  [[nodiscard]] std::uint64_t content_hash() const;

  // Snapshots.

  /// Takes a snapshot. Costs O(1) plus O(flaws), and one copy of each chunk that is written later.
  [[nodiscard]] MediaSnapshot snapshot();

  /// Restores the state of the snapshot, which may come from another store of the same geometry and
  /// check code. With a file, the chunks that differ are written; on a full disk it throws before
  /// any change.
  void restore(const MediaSnapshot& snapshot);

  /// Whether this store was made from a snapshot, flaws included.
  [[nodiscard]] bool is_branch() const { return is_branch_; }

  // Flaws.

  /// Adds a spec's flaws, which replace older ones on the same sectors. Asserts that
  /// find_flaw_spec_error() finds nothing.
  void inject(const FlawSpec& spec);
  void clear_flaws() { flaws_.clear(); }

  /// Active flaws in index order.
  [[nodiscard]] std::vector<Flaw> flaws() const { return flaws_.list(); }

  /// Makes a backing file durable against a host crash; nothing to do otherwise.
  void sync() { content_->sync(); }

 private:
  MediaStore(SectorFormatPtr format, std::unique_ptr<Content> content);

  void assert_index(SectorIndex index) const;

  SectorFormatPtr format_;
  std::unique_ptr<Content> content_;
  FlawTable flaws_;
  MediaPower power_;
  bool is_branch_ = false;
};

}  // namespace headstack::media
