// SPDX-License-Identifier: Apache-2.0
// The head-disk assembly under test, with its recorder, and functions for single sectors.
#pragma once

#include <systemc>

#include "sim/channel/head_disk_assembly.hpp"
#include "tests/unit/test_channel_support.hpp"

namespace headstack::channel::test {

using geometry::Chs;
using mechanics::now_ps;
using Bytes = std::vector<std::uint8_t>;

inline void run_until(Picoseconds time) {
  if (time > now_ps()) sc_core::sc_start(mechanics::to_sc_time(time - now_ps()));
}

inline drive::DriveDescription small_drive() {
  drive::DriveDescription description;
  description.design = small_design();
  description.design.head_switch_ms = 0.5;
  description.design.write_settle_ms = 0.3;
  description.design.spin_up_ms = 200;
  description.design.spin_down_ms = 100;
  return description;
}

/// A drive under test with its recorder, and functions for single sectors.
struct Bench {
  explicit Bench(drive::DriveDescription given,
                 HeadDiskAssembly::Start start = HeadDiskAssembly::Start::kAtSpeed)
      : description(std::move(given)),
        hda("hda", description, start),
        sink(now_ps),
        rotation(description.design.rpm, description.specimen.speed_error_ppm),
        layout(layout_of(description.design)) {
    hda.connect(sink);
  }

  std::uint32_t sectors(const Chs& at) const {
    return hda.geometry().zones()[*hda.geometry().zone_of(at.cylinder)].sectors_per_track;
  }

  /// Unwrapped angle, within the first turn, of byte k of a sector: the definition.
  std::uint64_t byte_angle(const Chs& at, std::uint64_t k) const {
    const std::uint64_t count = sectors(at);
    const std::uint64_t start = hda.geometry().sector_angle(at);
    std::uint64_t mark = 0;  // the mark at that angle
    while ((mark << 32) / count != start) ++mark;
    return start + k * (((mark + 1) << 32) / count - start) / layout.raw_bytes;
  }

  /// First picosecond from now on at which a byte begins to pass; the spindle must be at speed.
  Picoseconds byte_time(const Chs& at, std::uint64_t k) const {
    return *hda.spindle().spindle().next(now_ps(), static_cast<Turn32>(byte_angle(at, k)));
  }

  void seek(const Chs& at) {
    hda.seek(at.cylinder, at.head);
    run_until(hda.heads().stack().read_ready_at() + 1);
    run_until(hda.heads().stack().write_ready_at() + 1);
  }

  /// Seeks and reads one pass of a sector.
  Bytes read(const Chs& at) {
    seek(at);
    run_until(byte_time(at, 0) - 1);
    sink.forget();
    hda.gates(true, false);
    run_until(byte_time(at, layout.raw_bytes - 1) + 1);
    hda.gates(false, false);
    return sink.bytes;
  }
  DecodedSector decode(const Chs& at) { return decode_sector(layout, read(at).data()); }

  /// Seeks and opens the write gate over bytes [from, to) of one pass, with a byte for each.
  void write(const Chs& at, std::uint32_t from, std::uint32_t to, const Bytes& raw) {
    seek(at);
    run_until(byte_time(at, from) - 1);
    sink.to_write.assign(raw.begin() + from, raw.begin() + to);
    sink.written = 0;
    hda.gates(false, true);
    run_until(byte_time(at, to - 1) + 1);
    hda.gates(false, false);
  }
  void write_field(const Chs& at, const Bytes& raw) {
    write(at, layout.data_start, layout.gap_start, raw);
  }

  Bytes expected(const Chs& at, const Bytes& data) const {
    return expected_sector(description.design, at, data);
  }

  drive::DriveDescription description;
  HeadDiskAssembly hda;
  Recorder sink;
  mechanics::Rotation rotation;
  SectorLayout layout;
};

}  // namespace headstack::channel::test
