// SPDX-License-Identifier: Apache-2.0
#include "sim/channel/head_disk_assembly.hpp"

#include <algorithm>
#include <utility>

#include "sim/assert.hpp"
#include "sim/drive/drive_media.hpp"
#include "sim/drive/schema.hpp"

namespace headstack::channel {
namespace {

using mechanics::now_ps;
using mechanics::Spindle;
using mechanics::to_sc_time;

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

}  // namespace

HeadDiskAssembly::HeadDiskAssembly(sc_core::sc_module_name name,
                                   const drive::DriveDescription& description, Start start)
    : HeadDiskAssembly(name, description, media::MediaStore(media_geometry(description)), start) {}

HeadDiskAssembly::HeadDiskAssembly(sc_core::sc_module_name name,
                                   const drive::DriveDescription& description,
                                   media::MediaStore media, Start start)
    : sc_module(name),
      geometry_(runnable(description.design)),
      positioning_(description.design),
      index_faults_(description.specimen),
      spindle_("spindle", make_spindle(description, start)),
      heads_("heads", positioning_, mechanics::ArmFaults(description.specimen)),
      surface_(layout_of(description.design), geometry_, std::move(media)) {
  if (!surface_.media().is_branch()) {
    surface_.media().inject(media::flaw_spec_of(description.specimen, geometry_));
  }
  levels_ = measure();
  if (levels_.read_ready) track_ = track_under_head();
  SC_METHOD(pass);
  sensitive << passed_;
  dont_initialize();
  SC_METHOD(refresh);
  sensitive << heads_.read_ready() << heads_.write_ready() << heads_.wandered()
            << spindle_.at_speed() << spindle_.at_rest();
  dont_initialize();
  SC_METHOD(motor_changed);
  sensitive << spindle_.changed_by_itself();
  dont_initialize();
}

void HeadDiskAssembly::spin_up() {
  const bool fails = spindle_.start();
  if (fails && observer_ != nullptr) {
    observer_->fault_struck(now_ps(), "no_start", spindle_.spindle().unwrapped(now_ps()) / kTurn);
  }
  refresh();
}

void HeadDiskAssembly::spin_down() {
  spindle_.stop();
  refresh();
}

void HeadDiskAssembly::motor_changed() {
  if (observer_ != nullptr) {
    const bool powered = spindle_.spindle().is_powered();
    observer_->fault_struck(now_ps(), powered ? "power_back" : "dropout",
                            spindle_.spindle().unwrapped(now_ps()) / kTurn);
  }
  refresh();
}

void HeadDiskAssembly::seek(std::uint32_t cylinder, std::uint32_t head, bool for_write) {
  const mechanics::HeadStack& stack = heads_.stack();
  if (!levels_.at_speed || now_ps() < stack.read_ready_at()) {
    ++counters_.ignored_seeks;
    return;
  }
  cylinder = std::min(cylinder, geometry_.cylinder_count() - 1);
  if (stack.is_at(cylinder, head, for_write)) return;
  leave_track();
  tell_movement(heads_.move(cylinder, head, for_write), cylinder);
  refresh();
}

void HeadDiskAssembly::recalibrate() {
  if (!levels_.at_speed) {
    ++counters_.ignored_seeks;
    return;
  }
  leave_track();
  tell_movement(heads_.recalibrate(), 0);
  refresh();
}

void HeadDiskAssembly::tell_movement(const mechanics::Positioning& parts, std::uint32_t target) {
  if (observer_ == nullptr) return;
  const mechanics::HeadStack& stack = heads_.stack();
  if (stack.mishap()) {
    observer_->fault_struck(now_ps(), drive::name_of(drive::kArmFaultKinds, stack.mishap()->kind),
                            target);
  }
  observer_->seek_began(now_ps(), {stack.cylinder(), stack.head(), 0}, parts);
}

void HeadDiskAssembly::listen(bool index, bool sector) {
  index_listen_ = index;
  sector_listen_ = sector;
  plan();
}

void HeadDiskAssembly::gates(bool read, bool write) {
  if (write_gate_ && !write) {
    surface_.end_write();
    write_unsafe_ = false;
    set_write_fault(false);
  }
  read_gate_ = read;
  write_gate_ = write;
  if (!levels_.write_ready) cut_write();
  plan();
}

void HeadDiskAssembly::lose_power(drive::PowerLoss loss) {
  const std::optional<media::SectorIndex> writing = surface_.writing();
  media::MediaPower& power = surface_.media().power();
  if (!power.is_on()) return;  // the caller that cut the media's power named the sector
  power.cut(writing);
  if (loss == drive::PowerLoss::kTorn) {
    surface_.end_write();
    power.cut();
  }
}

Picoseconds HeadDiskAssembly::shortest_byte_time() const {
  std::uint32_t sectors = 1;
  for (const geometry::ZoneGrid& zone : geometry_.zones()) {
    sectors = std::max(sectors, zone.sectors_per_track);
  }
  // The grid rounds its angles down. So no byte covers less than this, and a start may be a
  // picosecond late.
  const std::uint64_t swept = kTurn / sectors / surface_.layout().raw_bytes;
  return spindle_.spindle().rotation().time_to_turn(0, swept) - 1;
}

HdaLevels HeadDiskAssembly::measure() const {
  const Picoseconds now = now_ps();
  const Spindle::State state = spindle_.state();
  HdaLevels levels;
  levels.at_speed = state == Spindle::State::kAtSpeed;
  levels.at_rest = state == Spindle::State::kStopped;
  levels.read_ready = levels.at_speed && heads_.stack().read_ready(now);
  levels.write_ready = levels.at_speed && heads_.stack().write_ready(now);
  levels.write_fault = write_fault_;
  return levels;
}

void HeadDiskAssembly::refresh() {
  const HdaLevels levels = measure();
  if (!levels.read_ready) {
    leave_track();
  } else if (!track_) {
    track_ = track_under_head();
  }
  if (!levels.write_ready) cut_write();
  if (levels != levels_) {
    levels_ = levels;
    tell_levels();
  }
  plan();
}

void HeadDiskAssembly::tell_levels() {
  HEADSTACK_ASSERT(sink_ != nullptr, "connect() comes before the simulation starts");
  if (observer_ != nullptr) observer_->levels_changed(now_ps(), levels_);
  sink_->levels(levels_);
}

void HeadDiskAssembly::set_write_fault(bool fault) {
  if (write_fault_ == fault) return;
  write_fault_ = levels_.write_fault = fault;
  if (fault && observer_ != nullptr) {
    observer_->fault_struck(now_ps(), "write_fault", heads_.stack().cylinder());
  }
  tell_levels();
}

std::optional<HeadDiskAssembly::Track> HeadDiskAssembly::track_under_head() const {
  const geometry::Chs first{heads_.stack().cylinder(), heads_.stack().head(), 0};
  const auto zone = geometry_.zone_of(first.cylinder);
  if (!zone || first.head >= geometry_.head_count()) return std::nullopt;
  Track track;
  track.grid = ByteGrid(geometry_.zones()[*zone].sectors_per_track, surface_.layout().raw_bytes);
  track.cylinder = first.cylinder;
  track.head = first.head;
  track.first_mark = track.grid.mark_at_or_after(geometry_.sector_angle(first)).mark;
  return track;
}

void HeadDiskAssembly::leave_track() {
  cut_write();
  track_.reset();
  pass_mark_.reset();
}

void HeadDiskAssembly::cut_write() {
  if (!writing()) return;
  surface_.end_write();
  write_unsafe_ = true;
  ++counters_.unsafe_writes;
}

void HeadDiskAssembly::plan() {
  const std::uint64_t here = spindle_.spindle().unwrapped(now_ps());
  // Angles that the last picosecond stepped over count as just reached (spindle.hpp).
  const std::uint64_t slack = levels_.at_speed ? spindle_.spindle().rotation().slack() : 0;
  const std::uint64_t from = here - std::min(here, slack);
  if (track_) {
    const std::uint64_t angle = std::max(from, bytes_passed_to_);
    next_ =
        strobing() ? track_->grid.byte_at_or_after(angle) : track_->grid.mark_at_or_after(angle);
  }
  plan_index(std::max(from, index_passed_to_));
  schedule();
}

/// Plans the first index pulse at or after an angle.
void HeadDiskAssembly::plan_index(std::uint64_t angle) {
  const auto turn = index_faults_.next((angle + kTurn - 1) / kTurn);
  next_index_.reset();
  if (turn) next_index_ = *turn * kTurn;
}

void HeadDiskAssembly::schedule() {
  plan_passage(now_ps());
  notify();
}

/// Plans the next angle to wait for, and its time.
void HeadDiskAssembly::plan_passage(Picoseconds now) {
  planned_at_.reset();
  const bool track_wanted = track_ && (strobing() || sector_listen_);
  const bool index_wanted = index_listen_ && next_index_;
  if (!track_wanted && !index_wanted) return;
  if (levels_.at_rest) return;  // only a moving platter passes an angle
  planned_ = track_wanted ? next_.angle : *next_index_;
  if (index_wanted) planned_ = std::min(planned_, *next_index_);
  // The spindle searches at most eight turns ahead; a pulse may be farther away.
  planned_ = std::min(planned_, spindle_.spindle().unwrapped(now) + 4 * kTurn);
  // There is no time when the spindle comes to rest before the angle.
  planned_at_ = spindle_.spindle().when(now, planned_);
}

void HeadDiskAssembly::notify() {
  passed_.cancel();
  if (planned_at_) passed_.notify(to_sc_time(*planned_at_ - now_ps()));
}

std::optional<Picoseconds> HeadDiskAssembly::next_byte() const {
  if (!track_ || !read_gate_ || write_gate_ || next_.angle != planned_) return std::nullopt;
  if (index_listen_ && next_index_ == planned_) return std::nullopt;
  // The start of a sector, which begins another pass, and the end of its field are reported at
  // their time. So these bytes are not passed ahead.
  if (pass_mark_ != next_.mark_angle || next_.byte + 1 == surface_.layout().gap_start) {
    return std::nullopt;
  }
  return planned_at_;
}

std::uint8_t HeadDiskAssembly::pass_byte_ahead() {
  const BytePlace here = next_;
  bytes_passed_to_ = here.angle + 1;
  next_ = track_->grid.after(here);
  plan_passage(*planned_at_);
  return surface_.read(here.byte);
}

void HeadDiskAssembly::pass() {
  HEADSTACK_ASSERT(sink_ != nullptr, "connect() comes before the simulation starts");
  if (index_listen_ && next_index_ == planned_) {
    index_passed_to_ = planned_ + 1;
    plan_index(index_passed_to_);
    sink_->index_pulse();
  }
  if (track_ && (strobing() || sector_listen_) && next_.angle == planned_) pass_byte();
  schedule();
}

geometry::Chs HeadDiskAssembly::sector_at(std::uint32_t mark) const {
  const std::uint32_t sectors = track_->grid.sectors();
  return {track_->cylinder, track_->head, (mark + sectors - track_->first_mark) % sectors};
}

void HeadDiskAssembly::tell_passing(const BytePlace& here) {
  if (here.byte == 0) observer_->sector_began(now_ps(), sector_at(here.mark));
  // Without strobes only the first byte of a sector gets here.
  if (here.byte + 1 == surface_.layout().gap_start) {
    observer_->sector_ended(now_ps(), sector_at(here.mark));
  }
}

void HeadDiskAssembly::pass_byte() {
  const BytePlace here = next_;
  bytes_passed_to_ = here.angle + 1;
  next_ = strobing() ? track_->grid.after(here) : track_->grid.mark_at_or_after(here.angle + 1);
  if (observer_ != nullptr) tell_passing(here);
  if (here.byte == 0 && sector_listen_) sink_->sector_pulse();
  if (!strobing()) return;
  if (pass_mark_ != here.mark_angle) {
    surface_.enter(sector_at(here.mark), here.mark_angle / kTurn);
    pass_mark_ = here.mark_angle;
  }
  std::uint8_t nrz = 0;
  if (writing()) {
    surface_.write(here.byte, sink_->nrz_to_write());
    if (surface_.write_fails()) set_write_fault(true);
  } else {
    nrz = surface_.read(here.byte);
  }
  sink_->byte_strobe(nrz);
}

}  // namespace headstack::channel
