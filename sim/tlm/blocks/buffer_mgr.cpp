// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/blocks/buffer_mgr.hpp"

#include <algorithm>
#include <cstring>

#include "sim/assert.hpp"

namespace headstack::tlm {
namespace {

/// The pointer to the next sector; it stays below SIZE.
std::uint32_t next(std::uint32_t index, std::uint32_t size) {
  return index + 1 < size ? index + 1 : 0;
}

/// The pointer `count` sectors later, as buffer_mgr_segments.sv computes it: 16 bits.
std::uint32_t advance(std::uint32_t index, std::uint32_t count, std::uint32_t size) {
  const std::uint32_t sum = index + count;
  return (sum >= size ? sum - size : sum) & 0xFFFFU;
}

}  // namespace

// --------------------------------------------------------------------------------------- segments

/// First byte of a ring's sector; the RAM repeats past its end.
std::uint32_t BufferMgr::place(std::uint32_t ring, std::uint32_t index) const {
  const std::uint32_t base = segment_base(ring).address() & ~3U;
  return (base + index * sector_bytes()) & (kRamBytes - 1);
}

/// Ends a sector that a channel has produced.
void BufferMgr::give(std::uint32_t ring, Channel& channel) {
  Ring& r = rings_[ring];
  const Picoseconds now = cycle_now();
  channel.position = 0;
  channel.begun = now;
  if (r.level >= size(ring)) return;
  Channel& other = &channel == &host_ ? disk_ : host_;
  if (r.level == 0 && other.drains(ring)) other.begun = std::max(other.begun, now);
  r.level += 1;
  r.produce = next(r.produce, size(ring));
}

/// Ends a sector that a channel has consumed.
void BufferMgr::take(std::uint32_t ring, Channel& channel) {
  Ring& r = rings_[ring];
  const Picoseconds now = cycle_now();
  channel.position = 0;
  channel.begun = now;
  if (r.level == 0) return;
  Channel& other = &channel == &host_ ? disk_ : host_;
  if (r.level >= size(ring) && other.feeds(ring)) other.begun = std::max(other.begun, now);
  r.level -= 1;
  r.consume = next(r.consume, size(ring));
}

/// Handles a change of a ring's level that the host channel did not make.
void BufferMgr::level_changed(std::uint32_t ring) {
  if (host_.enabled && host_.segment == ring) tell_host();
}

void BufferMgr::tell_host() {
  if (host_listener_ != nullptr) host_listener_->host_port_changed();
}

// -------------------------------------------------------------------------------------- registers

void BufferMgr::restart(Channel& channel, Picoseconds begin) {
  channel.position = 0;
  channel.begun = begin;
}

void BufferMgr::configure_host() {
  Channel next;
  next.enabled = host().enable();
  next.consumes = host().to_host();
  next.segment = host().segment();
  // Two channels that both feed, or both drain, one ring would use the same place: the host waits.
  const bool shared =
      disk_.enabled && disk_.segment == next.segment && disk_.consumes == next.consumes;
  next.enabled = next.enabled && !shared;
  if (next.same_as(host_)) return;
  host_ = next;
  restart(host_, cycle_now() + clocks(kBeginClocks));
  tell_host();
}

void BufferMgr::on_write_host(buffer_mgr_regs::Host /*value*/) { configure_host(); }

void BufferMgr::on_write_disk(buffer_mgr_regs::Disk value) {
  if (!value.enable()) disk_count_ = 0;
  Channel next;
  next.enabled = value.enable();
  next.consumes = value.to_disk();
  next.segment = value.segment();
  if (next.same_as(disk_)) return;
  if (disk_listener_ != nullptr) disk_listener_->disk_channel_changes(true);
  disk_ = next;
  restart(disk_, cycle_now() + clocks(kBeginClocks));
  configure_host();
}

void BufferMgr::on_write_sector(buffer_mgr_regs::Sector /*value*/) {
  HEADSTACK_ASSERT(host_.position == 0, "SECTOR changes only while both channels are off");
}

void BufferMgr::on_write_segment_base(std::uint32_t /*index*/,
                                      buffer_mgr_regs::SegmentBase /*value*/) {}

void BufferMgr::on_write_segment_size(std::uint32_t index, buffer_mgr_regs::SegmentSize /*value*/) {
  const bool disk = disk_.enabled && disk_.segment == index;
  if (disk && disk_listener_ != nullptr) disk_listener_->disk_channel_changes(false);
  level_changed(index);
}

buffer_mgr_regs::SegmentLevel BufferMgr::on_read_segment_level(std::uint32_t index) {
  return {rings_[index].level};
}

void BufferMgr::on_write_segment_control(std::uint32_t index,
                                         buffer_mgr_regs::SegmentControl value) {
  Ring& ring = rings_[index];
  const Picoseconds begin = cycle_now() + clocks(kBeginClocks);
  const bool disk = disk_.enabled && disk_.segment == index;
  if (disk && disk_listener_ != nullptr) disk_listener_->disk_channel_changes(value.reset());
  if (value.reset()) {
    ring = Ring{};
    for (Channel* channel : {&host_, &disk_}) {
      if (channel->segment == index) restart(*channel, begin);
    }
  } else if (value.discard()) {
    ring.level = 0;
    ring.consume = ring.produce;
    level_changed(index);
    return;
  }
  const std::uint32_t count = value.produce();
  if (!value.reset() && value.skip()) {
    if (count > ring.level) return;
    for (Channel* channel : {&host_, &disk_}) {
      if (ring.level >= size(index) && channel->feeds(index)) channel->begun = begin;
    }
    ring.level -= count;
    ring.consume = advance(ring.consume, count, size(index));
  } else if (count != 0 && ring.level + count <= size(index)) {
    for (Channel* channel : {&host_, &disk_}) {
      if (ring.level == 0 && channel->drains(index)) channel->begun = begin;
    }
    ring.level += count;
    ring.produce = advance(ring.produce, count, size(index));
  }
  level_changed(index);
}

// -------------------------------------------------------------------------------------- disk port

bool BufferMgr::can_accept() const {
  return disk_.enabled && !disk_.consumes && rings_[disk_.segment].level < size(disk_.segment);
}

bool BufferMgr::has_sector(Picoseconds cycle) const {
  return disk_.enabled && disk_.consumes && rings_[disk_.segment].level != 0 &&
         sector_bytes() != 0 && cycle >= disk_.begun + clocks(kFetchClocks);
}

std::uint8_t* BufferMgr::room() {
  HEADSTACK_ASSERT(can_accept(), "a sector from the media has room");
  const std::uint32_t at = place(disk_.segment, rings_[disk_.segment].produce);
  if (at + sector_bytes() <= kRamBytes) return &ram_[at];
  wrapped_.resize(sector_bytes());
  return wrapped_.data();
}

void BufferMgr::disk_sector_finished() {
  disk_count_ = (disk_count_ + 1) & 0xFFFFU;
  const std::uint32_t notice = disk().notice();
  if (notice != 0 && notice != disk_count_) return;
  raise(buffer_mgr_regs::IntrState::kDiskSectorMask);
}

void BufferMgr::give_sector() {
  const std::uint32_t ring = disk_.segment;
  const std::uint32_t at = place(ring, rings_[ring].produce);
  if (at + sector_bytes() > kRamBytes) {
    const auto head = wrapped_.begin() + (kRamBytes - at);
    std::copy(wrapped_.begin(), head, ram_.begin() + at);
    std::copy(head, wrapped_.end(), ram_.begin());
  }
  give(ring, disk_);
  level_changed(ring);
  disk_sector_finished();
}

const std::uint8_t* BufferMgr::waiting_sector() {
  HEADSTACK_ASSERT(disk_.enabled && disk_.consumes && rings_[disk_.segment].level != 0,
                   "a sector waits for the media");
  const std::uint32_t at = place(disk_.segment, rings_[disk_.segment].consume);
  const std::uint32_t bytes = sector_bytes();
  if (at + bytes <= kRamBytes) return &ram_[at];
  wrapped_.assign(ram_.begin() + at, ram_.end());
  wrapped_.insert(wrapped_.end(), ram_.begin(), ram_.begin() + (at + bytes - kRamBytes));
  return wrapped_.data();
}

void BufferMgr::take_sector() {
  const std::uint32_t ring = disk_.segment;
  take(ring, disk_);
  level_changed(ring);
  disk_sector_finished();
}

void BufferMgr::drop_sector(Picoseconds cycle) {
  // The channel begins again in the cycle after the verdict.
  disk_.begun = std::max(disk_.begun, cycle + kClockPeriodPs);
}

// -------------------------------------------------------------------------------------- host port

std::uint32_t BufferMgr::bytes_ready() const {
  if (!host_.enabled) return 0;
  const Ring& ring = rings_[host_.segment];
  const std::uint32_t most = size(host_.segment);
  const std::uint32_t sectors = host_.consumes ? ring.level : most - std::min(most, ring.level);
  return sectors == 0 ? 0 : sectors * sector_bytes() - host_.position;
}

Picoseconds BufferMgr::ready_from() const {
  return host_.begun + clocks(host_.consumes ? kFetchClocks : kOpenClocks);
}

/// Walks over sectors with `copy(ram byte, bytes moved before, bytes)`; no piece lies across the
/// end of RAM.
template <class Copy>
void BufferMgr::move(std::uint32_t bytes, Copy copy) {
  HEADSTACK_ASSERT(bytes <= bytes_ready(), "bytes move with their credits only");
  const std::uint32_t ring = host_.segment;
  const std::uint32_t whole = sector_bytes();
  std::uint32_t moved = 0;
  while (moved < bytes) {
    const std::uint32_t index = host_.consumes ? rings_[ring].consume : rings_[ring].produce;
    const std::uint32_t at = (place(ring, index) + host_.position) & (kRamBytes - 1);
    const std::uint32_t part = std::min({bytes - moved, whole - host_.position, kRamBytes - at});
    copy(&ram_[at], moved, part);
    moved += part;
    host_.position += part;
    if (host_.position < whole) continue;
    host_.consumes ? take(ring, host_) : give(ring, host_);
    raise(buffer_mgr_regs::IntrState::kHostSectorMask);
  }
}

void BufferMgr::read(std::uint8_t* to, std::uint32_t bytes) {
  HEADSTACK_ASSERT(host_.consumes, "the channel works towards the host");
  move(bytes, [to](const std::uint8_t* ram, std::uint32_t moved, std::uint32_t part) {
    std::memcpy(to + moved, ram, part);
  });
}

void BufferMgr::write(const std::uint8_t* from, std::uint32_t bytes) {
  HEADSTACK_ASSERT(!host_.consumes, "the channel works from the host");
  move(bytes, [from](std::uint8_t* ram, std::uint32_t moved, std::uint32_t part) {
    std::memcpy(ram, from + moved, part);
  });
}

// ---------------------------------------------------------------------------------- core's window

std::uint32_t BufferMgr::read_word(std::uint32_t offset) const {
  const std::uint8_t* at = &ram_[offset & (kRamBytes - 4)];
  return at[0] | at[1] << 8 | at[2] << 16 | static_cast<std::uint32_t>(at[3]) << 24;
}

void BufferMgr::write_word(std::uint32_t offset, std::uint32_t value) {
  std::uint8_t* at = &ram_[offset & (kRamBytes - 4)];
  for (unsigned i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace headstack::tlm
