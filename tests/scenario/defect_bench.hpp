// SPDX-License-Identifier: Apache-2.0
// A small drive with spares and chosen flaws, and functions for tests of defects.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {

/// 8 cylinders of 2 heads in two zones of 20 and 16 sectors per track, 6000 rpm, 278 blocks on 16
///   tracks. 8 spares are at the end of the first zone, 2 at the end of the second. Two slips
///   (positions 25 and 26) and a remap (of position 40 to the zone's last) use three of the 8.
drive::DriveDescription spared_drive();

class DefectBench : public DriveBench {
 protected:
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // cylinder, head, sector

  static Setup spared_setup();

  /// Adds a flaw to the design's sector of a block, or to any sector.
  void flaw_block(std::uint32_t lba, media::FlawKind kind, std::uint32_t retries = 0);
  void flaw_sector(media::SectorIndex index, media::FlawKind kind, std::uint32_t retries = 0);

  media::SectorIndex home(std::uint32_t lba);
  Place place_of(media::SectorIndex index);
  /// All sectors that are spare by design, in order.
  std::vector<media::SectorIndex> spares();
  /// The spares that were written.
  std::set<media::SectorIndex> used_spares();
  Bytes on_sector(media::SectorIndex index);

  /// The grown list, as READ DEFECT DATA returns it.
  std::vector<Place> grown_list();
  std::vector<Place> primary_list();

  /// Sets page 01h: byte 2, and the number of retries for reads and writes.
  void set_recovery(std::uint8_t bits, std::uint8_t retries = 8);
  /// A parameter of an error counter page.
  std::uint64_t counter(std::uint8_t page, std::uint16_t parameter);

  /// Reads block `lba` alone, and expects this data.
  void expect_block(std::uint32_t lba, const Bytes& data);
  static Bytes zeros(std::uint32_t blocks = 1) { return Bytes(blocks * kBlockBytes); }

  static constexpr Picoseconds kRevolution = 10 * kMillisecond;
};

/// Byte 2 of page 01h.
constexpr std::uint8_t kAwre = 0x80, kArre = 0x40, kTb = 0x20, kRc = 0x10, kEer = 0x08, kPer = 0x04,
                       kDte = 0x02, kDcr = 0x01;
/// Error counter pages and parameters (SCSI-2 8.3.2.2).
constexpr std::uint8_t kWriteErrors = 2, kReadErrors = 3, kVerifyErrors = 5;
constexpr std::uint16_t kCorrectedWithDelay = 1, kRetries = 2, kCorrected = 3, kBytes = 5,
                        kUncorrected = 6;

}  // namespace headstack::scenario
