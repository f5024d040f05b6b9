// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/disk/disk.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/assert.hpp"
#include "sim/drive/drive_media.hpp"

namespace headstack::tlm {
namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;
constexpr std::uint64_t kHalfTurn = kTurn / 2;

std::array<std::uint8_t, channel::kCheckBytes> check_bytes_of(std::uint32_t crc) {
  return {static_cast<std::uint8_t>(crc >> 24), static_cast<std::uint8_t>(crc >> 16),
          static_cast<std::uint8_t>(crc >> 8), static_cast<std::uint8_t>(crc)};
}

}  // namespace

Disk::Disk(const drive::DriveDescription& description, Start start)
    : Disk(description, media::MediaStore(channel::media_geometry(description)), start) {}

Disk::Disk(const drive::DriveDescription& description, media::MediaStore media, Start start)
    : geometry_(description.design),
      mean_latency_(description.design.rotational_latency == drive::RotationalLatency::kMean),
      positioning_(description.design),
      index_(description.specimen),
      spindle_(channel::make_spindle(description, start)),
      heads_(positioning_, mechanics::ArmFaults(description.specimen)),
      surface_(channel::layout_of(description.design), geometry_, std::move(media)),
      start_(start) {
  if (!surface_.media().is_branch()) {
    surface_.media().inject(media::flaw_spec_of(description.specimen, geometry_));
  }
  find_track();
}

// ---------------------------------------------------------------------------------------- spindle

bool Disk::spin_up(Picoseconds at) {
  has_served_ = true;
  return spindle_.start(at);
}

void Disk::spin_down(Picoseconds at) {
  has_served_ = true;
  spindle_.stop(at);
}

void Disk::motor_changes(Picoseconds at) {
  has_served_ = true;
  spindle_.change(at);
}

// ------------------------------------------------------------------------------------------ heads

std::optional<mechanics::Positioning> Disk::seek(Picoseconds at, std::uint32_t cylinder,
                                                 std::uint32_t head, bool for_write) {
  cylinder = std::min(cylinder, geometry_.cylinder_count() - 1);
  if (heads_.is_at(cylinder, head, for_write)) return std::nullopt;
  const mechanics::Positioning parts = heads_.move(at, cylinder, head, for_write);
  has_served_ = false;
  find_track();
  return parts;
}

mechanics::Positioning Disk::recalibrate(Picoseconds at) {
  const mechanics::Positioning parts = heads_.recalibrate(at);
  has_served_ = false;
  find_track();
  return parts;
}

void Disk::find_track() {
  track_ = Track{};
  track_.cylinder = heads_.cylinder();
  track_.head = heads_.head();
  const auto zone = geometry_.zone_of(track_.cylinder);
  if (!zone || track_.head >= geometry_.head_count()) return;
  track_.zone = &geometry_.zones()[*zone];
  const geometry::Chs first{track_.cylinder, track_.head, 0};
  // The mark with this angle: angles are floors of marks, so none lies between.
  const std::uint64_t angle = geometry_.sector_angle(first);
  track_.first_mark = static_cast<std::uint32_t>((angle * track_.sectors() + (kTurn - 1)) >> 32);
  track_.first_index = geometry_.sector_index(first);
}

/// The time from which an operation that begins at `from` waits for its sector. The clocks between
/// the heads' arrival and the operation's start do not add to the wait.
Picoseconds Disk::waits_from(Picoseconds from, bool is_write) const {
  const Picoseconds ready = is_write ? heads_.write_ready_at() : heads_.read_ready_at();
  if (ready == mechanics::kNever) return from;  // no sector comes at all
  if (ready >= from) return ready;
  const bool comes = !has_served_ && when(ready, spindle_.unwrapped(ready) + kHalfTurn) > from;
  return comes ? ready : from;
}

Disk::Track Disk::track_for(Picoseconds from, std::uint32_t sector, bool is_write) {
  Track track = track_;
  if (!mean_latency_ || sector >= track.sectors()) return track;
  const std::uint64_t waits_from_angle = spindle_.unwrapped(waits_from(from, is_write));
  has_served_ = true;
  const Pass pass = next_pass(track, sector, 0);
  const std::uint64_t last_byte = byte_angle(pass, layout().gap_start - 1);
  const std::uint64_t behind_last_byte = pass.angle + pass.sweep - last_byte;
  track.shift = static_cast<Turn32>(waits_from_angle + kHalfTurn + behind_last_byte - pass.angle);
  return track;
}

// ------------------------------------------------------------------------------------------ angle

std::uint64_t Disk::angle_from(Picoseconds at) const {
  const std::uint64_t here = spindle_.unwrapped(at);
  return here - std::min<std::uint64_t>(here, spindle_.rotation().slack());
}

Picoseconds Disk::when(Picoseconds from, std::uint64_t angle) const {
  const auto at = spindle_.when(from, angle);
  HEADSTACK_ASSERT(at, "the spindle is at speed");
  return *at;
}

Disk::Pass Disk::next_pass(const Track& track, std::uint32_t sector,
                           std::uint64_t from_angle) const {
  HEADSTACK_ASSERT(sector < track.sectors(), "a sector of the track");
  std::uint32_t mark = track.first_mark + sector;
  if (mark >= track.sectors()) mark -= track.sectors();
  const Turn32 in_turn = track.zone->mark_angle(mark);
  const std::uint64_t next = mark + 1 == track.sectors() ? kTurn : track.zone->mark_angle(mark + 1);
  Pass pass;
  pass.at = {track.cylinder, track.head, sector};
  pass.index = track.first_index + sector;
  pass.angle = (from_angle & ~(kTurn - 1)) + static_cast<Turn32>(in_turn + track.shift);
  if (pass.angle < from_angle) pass.angle += kTurn;
  pass.sweep = next - in_turn;
  return pass;
}

Disk::Pass Disk::pass_at(const Track& track, std::uint64_t angle) const {
  const auto in_turn = static_cast<Turn32>(angle - track.shift);
  auto mark = static_cast<std::uint32_t>((std::uint64_t{in_turn} * track.sectors()) >> 32);
  // The floor in a mark's angle may bring the next mark to the angle.
  if (mark + 1 < track.sectors() && track.zone->mark_angle(mark + 1) <= in_turn) ++mark;
  std::uint32_t sector = mark + track.sectors() - track.first_mark;
  if (sector >= track.sectors()) sector -= track.sectors();
  return next_pass(track, sector, angle - (in_turn - track.zone->mark_angle(mark)));
}

// ---------------------------------------------------------------------------------------- sectors

bool Disk::read(media::SectorIndex index, std::uint8_t* data) {
  media::MediaStore& store = media();
  std::array<std::uint8_t, channel::kCheckBytes> check{};
  if (store.read(index, data, check.data()) == media::ReadStatus::kDamaged) return false;
  // The check bytes of a formatted sector are right.
  return !store.is_written(index) ||
         check == check_bytes_of(media::crc32_ieee(data, layout().data_bytes()));
}

bool Disk::write(media::SectorIndex index, const std::uint8_t* data, bool good_check) {
  const std::uint32_t crc = media::crc32_ieee(data, layout().data_bytes());
  return media().write(index, data, check_bytes_of(good_check ? crc : ~crc).data()) ==
         media::WriteStatus::kOk;
}

void Disk::write_cut(const geometry::Chs& at, const std::uint8_t* data, std::uint32_t bytes) {
  const auto check = check_bytes_of(media::crc32_ieee(data, layout().data_bytes()));
  surface_.enter(at);
  for (std::uint32_t i = 0; i < bytes; ++i) {
    const bool is_data = i < layout().data_bytes();
    surface_.write(layout().data_start + i, is_data ? data[i] : check[i - layout().data_bytes()]);
  }
  surface_.end_write();
}

}  // namespace headstack::tlm
