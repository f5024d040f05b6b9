// SPDX-License-Identifier: Apache-2.0
/// @file
/// Common code of the formatter's contract tests: a bench with registers set up, operations as
/// firmware starts them, and random sequences of them.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <random>

#include "sim/drive/drive_media.hpp"
#include "tests/contract/disk_path_bench.hpp"
#include "tests/support.hpp"

namespace headstack::contract {

namespace fmt_regs = tlm::formatter_regs;
namespace buf_regs = tlm::buffer_mgr_regs;

constexpr std::uint32_t kFormatterEvents =
    fmt_regs::IntrState::kDoneMask | fmt_regs::IntrState::kErrorMask |
    fmt_regs::IntrState::kSectorMask | fmt_regs::IntrState::kChainedMask;
constexpr std::uint32_t kCylinder = 2;
constexpr std::uint32_t kHead = 1;
constexpr std::uint32_t kBase = 0xFFE00;  // the ring crosses the end of buffer RAM
constexpr std::uint32_t kTurnClocks = 40'000;

/// A drive at 60,000 rpm, a turn of 1 ms, with `sectors` of `data` bytes.
inline drive::DriveDescription formatter_drive(std::uint32_t sectors, std::uint32_t data) {
  drive::DriveDescription description;
  description.design = test::small_design();
  description.design.rpm = 60'000;
  description.design.sector_bytes = data;
  description.design.zones[0].sectors_per_track = sectors;
  description.design.zones[0].track_skew = 3;
  description.design.head_switch_ms = 0;
  description.design.seek.pieces = {{3, 0.0001, 0, 0, 0}};  // the arm is at the test's first track
  return description;
}

/// A bench with its registers set up; operations as firmware starts them.
template <class Path>
class Scene : public Path {
 public:
  using Op = fmt_regs::Op;

  explicit Scene(const drive::DriveDescription& description, std::uint32_t ring_sectors)
      : Path(description, kCylinder, kHead) {
    const channel::SectorLayout& layout = this->disk.layout();
    formatter(fmt_regs::Track::kOffset, kHead << 24 | kCylinder);
    formatter(fmt_regs::Format::kOffset, layout.data_bytes() << 16 | layout.sync_start);
    formatter(fmt_regs::IntrEnable::kOffset, kFormatterEvents);
    buffer(buf_regs::Sector::kOffset, layout.data_bytes());
    buffer(buf_regs::SegmentBase::kOffset, kBase);
    buffer(buf_regs::SegmentSize::kOffset, ring_sectors);
    reset_ring();
  }

  void formatter(std::uint32_t offset, std::uint32_t value) {
    Path::write(Block::kFormatter, offset, value);
  }
  std::uint32_t formatter(std::uint32_t offset) { return Path::read(Block::kFormatter, offset); }
  void buffer(std::uint32_t offset, std::uint32_t value) {
    Path::write(Block::kBuffer, offset, value);
  }
  std::uint32_t buffer(std::uint32_t offset) { return Path::read(Block::kBuffer, offset); }
  std::uint32_t level() { return buffer(buf_regs::SegmentLevel::kOffset); }

  void reset_ring() {
    buffer(buf_regs::SegmentControl::kOffset, 1);
    Path::step(2);
  }
  /// Connects both channels to the ring, towards the host or towards the disk.
  void connect(bool to_host) {
    buffer(buf_regs::Disk::kOffset,
           buf_regs::Disk::kEnableMask | (to_host ? 0 : buf_regs::Disk::kToDiskMask));
    buffer(buf_regs::Host::kOffset,
           buf_regs::Host::kEnableMask | (to_host ? buf_regs::Host::kToHostMask : 0));
    Path::step(6);
  }
  void disconnect() {
    buffer(buf_regs::Disk::kOffset, 0);
    buffer(buf_regs::Host::kOffset, 0);
  }

  void start(Op op, std::uint32_t sector, std::uint32_t count) {
    formatter(fmt_regs::Start::kOffset, count << 16 | sector);
    command(op);
  }
  void command(Op op) {
    formatter(fmt_regs::Command::kOffset, static_cast<std::uint32_t>(op));
    // The model shows a command at once, the RTL two clocks later.
    Path::step(3);
  }
  /// Names the next run.
  void chain(std::uint32_t head, std::uint32_t sector, std::uint32_t count) {
    formatter(fmt_regs::NextTrack::kOffset, head << 24 | kCylinder);
    formatter(fmt_regs::NextStart::kOffset, count << 16 | sector);
    command(Op::kChain);
  }
  bool busy() { return (formatter(fmt_regs::Status::kOffset) & 1) != 0; }
  std::uint32_t done() { return formatter(fmt_regs::Progress::kOffset) & 0xFFFF; }
  std::uint32_t error() { return formatter(fmt_regs::Error::kOffset) & 0xFFFF; }
  /// Runs to the operation's end. @return its events.
  std::uint32_t finish() {
    for (int i = 0; i < 4000 && busy(); ++i) Path::step(199);
    EXPECT_FALSE(busy());
    const std::uint32_t events = formatter(fmt_regs::IntrState::kOffset);
    formatter(fmt_regs::IntrState::kOffset, events);
    return events;
  }
  std::uint32_t run(Op op, std::uint32_t sector, std::uint32_t count) {
    start(op, sector, count);
    return finish();
  }
};

inline Bytes random_bytes(std::uint32_t seed, std::size_t count) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

class PathName {
 public:
  template <class Path>
  static std::string GetName(int) {
    return std::is_same_v<Path, DiskPathRtl> ? "rtl" : "tlm";
  }
};
/// Random operations at random times. Compares all registers, lines and bytes, and the media at the
/// end.
template <class Path>
class Play {
 public:
  /// `is_faulty`: with failing headers and writes, and missing index pulses.
  explicit Play(std::uint32_t seed, bool is_faulty = false)
      : random_(seed), scene_(make(random_, is_faulty), 1 + pick(6)) {
    media::FlawSpec flaws;
    flaws.seed = seed;
    const media::SectorIndex first = scene_.disk.track().first_index;
    flaws.listed.push_back({first + 2 * pick(sectors() / 2), media::FlawKind::kUnreadable});
    media::Flaw weak{first + 1 + 2 * pick(sectors() / 2 - 1), media::FlawKind::kCorrectable};
    weak.retries = 1 + pick(2);
    flaws.listed.push_back(weak);
    if (is_faulty) add_faults(flaws, first);
    scene_.disk.media().inject(flaws);
    scene_.buffer(buf_regs::IntrEnable::kOffset, 2 * pick(2));  // disk_sector
  }

  Notes run() {
    for (int i = 0; i < 24; ++i) operation();
    scene_.disk.surface().end_write();
    note(scene_.notes, scene_.cycle(), "media",
         static_cast<std::uint32_t>(scene_.disk.media().content_hash()));
    return scene_.notes;
  }

 private:
  static drive::DriveDescription make(std::mt19937& random, bool is_faulty) {
    // byte times of 2.0 to 23 clocks
    static constexpr std::uint32_t kShapes[][2] = {{10, 128}, {57, 128}, {120, 128}, {30, 512}};
    const auto& shape = kShapes[random() % 4];
    drive::DriveDescription description = formatter_drive(shape[0], shape[1]);
    if (!is_faulty) return description;
    description.specimen.flaw_seed = random();
    description.specimen.random.missing_index_share = 0.25 * static_cast<double>(random() % 3);
    // Sometimes a long time without operations.
    if (random() % 2 == 0) {
      const auto every = static_cast<std::uint32_t>(1 + random() % 2);
      description.specimen.index_faults = {{random() % 200, random() % 60, every}};
    }
    return description;
  }
  /// Adds faults to an eighth of the track's sectors.
  void add_faults(media::FlawSpec& flaws, media::SectorIndex first) {
    static constexpr media::FlawKind kKinds[] = {
        media::FlawKind::kBadHeader, media::FlawKind::kNoSync, media::FlawKind::kWriteFault,
        media::FlawKind::kWeakWrite};
    for (std::uint32_t i = 0; i < 1 + sectors() / 8; ++i) {
      media::Flaw flaw{first + pick(sectors()), kKinds[pick(4)]};
      if (media::is_of_header(flaw.kind)) flaw.probability = std::array{0.3, 0.7, 1.0}[pick(3)];
      if (!media::is_of_header(flaw.kind)) flaw.retries = pick(3);
      const bool is_free =
          std::none_of(flaws.listed.begin(), flaws.listed.end(),
                       [&](const media::Flaw& other) { return other.index == flaw.index; });
      if (is_free) flaws.listed.push_back(flaw);
    }
  }
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  std::uint32_t sectors() const { return scene_.disk.track().sectors(); }

  void operation() {
    const bool to_host = pick(2) != 0;
    scene_.disconnect();
    if (pick(3) == 0) scene_.reset_ring();
    scene_.connect(to_host);
    writes_ = !to_host;
    scene_.step(100);  // no seek is under way
    scene_.find_track(scene_.cycle() + (pick(3) == 0 ? pick(2 * kTurnClocks) : 0));
    scene_.formatter(fmt_regs::Track::kOffset, scene_.disk.track().head << 24 | kCylinder);
    scene_.formatter(fmt_regs::Limit::kOffset, pick(4));
    if (writes_) move_host();
    const fmt_regs::Op op = to_host ? (pick(4) == 0 ? fmt_regs::Op::kVerify : fmt_regs::Op::kRead)
                                    : fmt_regs::Op::kWrite;
    scene_.start(op, pick(8) == 0 ? sectors() : pick(sectors()), pick(12));
    chains_ = pick(2) != 0;
    const std::uint32_t pace = 1 + pick(4);
    for (int i = 0; i < 400 && scene_.busy(); ++i) {
      watch(pace * pick(700));
      disturb();
      look();
    }
    scene_.command(fmt_regs::Op::kAbort);
    scene_.step(50 * 150);  // a sector that is being written ends
    look();
  }

  void disturb() {
    switch (pick(20)) {
      case 0: scene_.formatter(fmt_regs::IntrState::kOffset, pick(8)); break;
      case 1:
      case 2:
      case 3: move_host(); break;
      case 4:
        if (pick(4) == 0) scene_.command(fmt_regs::Op::kAbort);
        break;
      case 5:
        if (pick(4) == 0) scene_.lose_track();
        break;
      case 6:
        if (pick(4) == 0) scene_.buffer(buf_regs::Disk::kOffset, 0);
        break;
      case 7:
      case 8:
      case 9:
        if (chains_) chain();
        break;
      default: break;
    }
  }

  /// Chains a run on the track under the head or on the other one; the seek sometimes fails.
  void chain() {
    scene_.follows = {pick(2), 1 + pick(90), pick(8) != 0, pick(2) == 0 ? 0 : pick(kTurnClocks)};
    scene_.chain(scene_.follows.head, pick(sectors()), pick(6));
  }

  void move_host() {
    const std::uint32_t level = scene_.level();
    const std::uint32_t size = scene_.buffer(buf_regs::SegmentSize::kOffset);
    const std::uint32_t bytes = scene_.disk.layout().data_bytes();
    const std::uint32_t count = pick((writes_ ? size - level : level) + 1);
    // The disk's RAM accesses, which the model lacks, may cost the host a clock per sector. So both
    // benches continue from the same cycle. test_buffer_mgr.cpp measures the host alone.
    const std::uint64_t over = scene_.cycle() + count * (bytes + 8) + 8;
    if (writes_) {
      scene_.host_write(random_bytes(random_(), std::size_t{count} * bytes));
    } else {
      for (const std::uint8_t byte : scene_.host_read(count)) digest_ = digest_ * 31 + byte;
    }
    scene_.step(over - scene_.cycle());
    note(scene_.notes, scene_.cycle(), "host's bytes", digest_);
  }

  /// Passes cycles, and reads one of the registers at every edge. Notes each value that differs
  /// from the one before.
  void watch(std::uint32_t cycles) {
    constexpr std::uint32_t kFormatter[] = {fmt_regs::Status::kOffset, fmt_regs::Progress::kOffset,
                                            fmt_regs::Error::kOffset, fmt_regs::IntrState::kOffset};
    constexpr std::uint32_t kBuffer[] = {buf_regs::IntrState::kOffset,
                                         buf_regs::SegmentLevel::kOffset};
    const std::uint32_t which = pick(6);
    std::optional<std::uint32_t> seen;
    for (; cycles != 0; --cycles) {
      const std::uint64_t cycle = scene_.cycle();
      const std::uint32_t value =
          which < 4 ? scene_.formatter(kFormatter[which]) : scene_.buffer(kBuffer[which - 4]);
      if (value != seen) note(scene_.notes, cycle, ::fmt::format("watched {}", which), value);
      seen = value;
    }
  }

  void look() {
    for (const std::uint32_t offset : {fmt_regs::Status::kOffset, fmt_regs::Progress::kOffset,
                                       fmt_regs::Error::kOffset, fmt_regs::IntrState::kOffset}) {
      const std::uint64_t cycle = scene_.cycle();
      note(scene_.notes, cycle, ::fmt::format("formatter {:#x}", offset), scene_.formatter(offset));
    }
    for (const std::uint32_t offset :
         {buf_regs::IntrState::kOffset, buf_regs::SegmentLevel::kOffset}) {
      const std::uint64_t cycle = scene_.cycle();
      note(scene_.notes, cycle, ::fmt::format("buffer {:#x}", offset), scene_.buffer(offset));
    }
  }

  std::mt19937 random_;
  Scene<Path> scene_;
  bool writes_ = false;
  bool chains_ = false;
  std::uint32_t digest_ = 0;
};

}  // namespace headstack::contract
