// The formatter, with the buffer manager behind it, Verilated and as models: what
// hdl/regs/formatter.rdl promises, and the same answers in every cycle.
#include <gtest/gtest.h>

#include <random>

#include "sim/media/drive_media.hpp"
#include "tests/contract/disk_path_bench.hpp"
#include "tests/support.hpp"

namespace headstack::contract {
namespace {

namespace fmt_regs = tlm::formatter_regs;
namespace buf_regs = tlm::buffer_mgr_regs;
using Intr = fmt_regs::IntrState;
using Error = fmt_regs::Error;
using Op = fmt_regs::Op;

constexpr std::uint32_t kEvents = Intr::kDoneMask | Intr::kErrorMask | Intr::kSectorMask;
constexpr std::uint32_t kCylinder = 2;
constexpr std::uint32_t kHead = 1;
constexpr std::uint32_t kBase = 0xFFE00;  // the ring lies across the end of buffer RAM
constexpr std::uint32_t kTurnClocks = 40'000;

/// 60,000 rpm: a turn of 1 ms. `sectors` of `data` bytes.
drive::DriveDescription quick_drive(std::uint32_t sectors, std::uint32_t data) {
  drive::DriveDescription description;
  description.design = test::small_design();
  description.design.rpm = 60'000;
  description.design.sector_bytes = data;
  description.design.zones[0].sectors_per_track = sectors;
  description.design.zones[0].track_skew = 3;
  return description;
}

/// A bench with its registers set up; operations as firmware starts them.
template <class Path>
class Scene : public Path {
 public:
  explicit Scene(const drive::DriveDescription& description, std::uint32_t ring_sectors)
      : Path(description, kCylinder, kHead) {
    const channel::SectorLayout& layout = this->disk.layout();
    formatter(fmt_regs::Track::kOffset, kHead << 24 | kCylinder);
    formatter(fmt_regs::Format::kOffset, layout.data_bytes() << 16 | layout.sync_start);
    formatter(fmt_regs::IntrEnable::kOffset, kEvents);
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
  /// Both channels on the ring, towards the host or towards the disk.
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
    // The model shows a command at once, the block two clocks later.
    Path::step(3);
  }
  bool busy() { return (formatter(fmt_regs::Status::kOffset) & 1) != 0; }
  std::uint32_t done() { return formatter(fmt_regs::Progress::kOffset) & 0xFFFF; }
  std::uint32_t error() { return formatter(Error::kOffset) & 0xFFFF; }
  /// Runs to the operation's end: the events it left.
  std::uint32_t finish() {
    for (int i = 0; i < 4000 && busy(); ++i) Path::step(199);
    EXPECT_FALSE(busy());
    const std::uint32_t events = formatter(Intr::kOffset);
    formatter(Intr::kOffset, events);
    return events;
  }
  std::uint32_t run(Op op, std::uint32_t sector, std::uint32_t count) {
    start(op, sector, count);
    return finish();
  }
};

Bytes random_bytes(std::uint32_t seed, std::size_t count) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

template <class Path>
class FormatterContract : public testing::Test {};
using Paths = testing::Types<DiskPathRtl, DiskPathTlm>;
class PathName {
 public:
  template <class Path>
  static std::string GetName(int) {
    return std::is_same_v<Path, DiskPathRtl> ? "rtl" : "tlm";
  }
};
TYPED_TEST_SUITE(FormatterContract, Paths, PathName);

TYPED_TEST(FormatterContract, WhatIsWritten_IsReadBack) {
  Scene<TypeParam> scene(quick_drive(50, 128), 8);
  const Bytes data = random_bytes(1, 8 * 128);
  scene.connect(false);
  scene.host_write(data);
  EXPECT_EQ(scene.level(), 8U);
  EXPECT_EQ(scene.run(Op::kWrite, 47, 3), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.run(Op::kWrite, 0, 5), Intr::kDoneMask | Intr::kSectorMask) << "the next track's";
  EXPECT_EQ(scene.level(), 0U);
  scene.disconnect();
  scene.connect(true);
  EXPECT_EQ(scene.run(Op::kRead, 47, 3), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.run(Op::kRead, 0, 5), Intr::kDoneMask | Intr::kSectorMask);
  EXPECT_EQ(scene.level(), 8U);
  EXPECT_EQ(scene.host_read(8), data);
  EXPECT_EQ(scene.level(), 0U);
}

// "A good header was seen": STATUS.sector follows the track, PROGRESS the run.
TYPED_TEST(FormatterContract, ReadWithoutRoom_IsAnOverrunAtThatSector) {
  Scene<TypeParam> scene(quick_drive(50, 128), 3);
  scene.connect(true);
  EXPECT_EQ(scene.run(Op::kRead, 10, 6), Intr::kErrorMask | Intr::kSectorMask);
  EXPECT_EQ(scene.done(), 3U);
  EXPECT_EQ(scene.formatter(Error::kOffset), 13U << 16 | Error::kOverrunMask);
  EXPECT_EQ(scene.level(), 3U);
}

TYPED_TEST(FormatterContract, WriteWithoutData_IsAnUnderrun) {
  Scene<TypeParam> scene(quick_drive(50, 128), 3);
  scene.connect(false);
  scene.host_write(random_bytes(2, 128));
  EXPECT_EQ(scene.run(Op::kWrite, 10, 2), Intr::kErrorMask | Intr::kSectorMask);
  EXPECT_EQ(scene.formatter(Error::kOffset), 11U << 16 | Error::kUnderrunMask);
}

// "Index pulses without a sector found before not_found; 0 counts as 1."
TYPED_TEST(FormatterContract, AbsentSector_IsNotFoundAfterTheLimit) {
  for (const std::uint32_t limit : {0U, 1U, 3U}) {
    Scene<TypeParam> scene(quick_drive(50, 128), 3);
    scene.formatter(fmt_regs::Limit::kOffset, limit);
    EXPECT_EQ(scene.run(Op::kVerify, 50, 1), Intr::kErrorMask);
    EXPECT_EQ(scene.formatter(Error::kOffset), 50U << 16 | Error::kNotFoundMask);
    EXPECT_EQ(scene.formatter(fmt_regs::Progress::kOffset) >> 16, std::max(limit, 1U));
  }
}

// "A mark up to 4 bytes late is still found": two bytes before are needed, and one passes unread.
TYPED_TEST(FormatterContract, PreambleTooShort_FindsNoSyncMark) {
  const auto description = quick_drive(50, 128);
  const std::uint32_t preamble = description.design.format.preamble_bytes;
  for (const bool found : {true, false}) {
    Scene<TypeParam> scene(description, 3);
    scene.formatter(fmt_regs::Format::kOffset, 128 << 16 | (preamble - (found ? 5 : 6)));
    const std::uint32_t events = scene.run(Op::kVerify, 3, 1);
    EXPECT_EQ(events, found ? Intr::kDoneMask | Intr::kSectorMask : Intr::kErrorMask);
    EXPECT_EQ(scene.error(), found ? 0 : Error::kNotFoundMask | Error::kHeaderMask);
  }
}

TYPED_TEST(FormatterContract, UnreadableSector_IsACheckError_AndGivesNoCredit) {
  Scene<TypeParam> scene(quick_drive(50, 128), 3);
  media::FlawSpec flaws;
  flaws.listed.push_back({scene.disk.track().first_index + 4, media::FlawKind::kUnreadable});
  scene.disk.media().inject(flaws);
  scene.connect(true);
  EXPECT_EQ(scene.run(Op::kRead, 3, 3), Intr::kErrorMask | Intr::kSectorMask);
  EXPECT_EQ(scene.formatter(Error::kOffset), 4U << 16 | Error::kCheckMask);
  EXPECT_EQ(scene.level(), 1U);
}

TYPED_TEST(FormatterContract, Abort_EndsWithDone_AlsoWhereNothingWasBusy) {
  Scene<TypeParam> scene(quick_drive(50, 128), 3);
  scene.command(Op::kAbort);
  EXPECT_EQ(scene.finish(), Intr::kDoneMask);
  scene.start(Op::kVerify, 3, 40);
  scene.step(500);
  EXPECT_TRUE(scene.busy());
  scene.command(Op::kAbort);
  EXPECT_FALSE(scene.busy()) << "at once";
  EXPECT_EQ(scene.finish() & ~Intr::kSectorMask, Intr::kDoneMask);
}

TYPED_TEST(FormatterContract, LostTrack_Stops) {
  Scene<TypeParam> scene(quick_drive(50, 128), 3);
  scene.start(Op::kVerify, 3, 40);
  scene.step(500);
  scene.lose_track();
  scene.step(3);
  EXPECT_FALSE(scene.busy());
  EXPECT_EQ(scene.error(), Error::kOffTrackMask);
  EXPECT_EQ(scene.run(Op::kVerify, 3, 1) & Intr::kErrorMask, Intr::kErrorMask) << "off it";
}

// ------------------------------------------------------------------------------ model against RTL

/// Random operations at random times; all registers, lines, bytes and the media at the end.
template <class Path>
class Play {
 public:
  explicit Play(std::uint32_t seed) : random_(seed), scene_(make(random_), 1 + pick(6)) {
    media::FlawSpec flaws;
    const media::SectorIndex first = scene_.disk.track().first_index;
    flaws.listed.push_back({first + 2 * pick(sectors() / 2), media::FlawKind::kUnreadable});
    media::Flaw weak{first + 1 + 2 * pick(sectors() / 2 - 1), media::FlawKind::kCorrectable};
    weak.retries = 1 + pick(2);
    flaws.listed.push_back(weak);
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
  static drive::DriveDescription make(std::mt19937& random) {
    // 2.0 to 23 clocks a byte.
    static constexpr std::uint32_t kShapes[][2] = {{10, 128}, {57, 128}, {120, 128}, {30, 512}};
    const auto& shape = kShapes[random() % 4];
    return quick_drive(shape[0], shape[1]);
  }
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  std::uint32_t sectors() const { return scene_.disk.track().sectors(); }

  void operation() {
    const bool to_host = pick(2) != 0;
    scene_.disconnect();
    if (pick(3) == 0) scene_.reset_ring();
    scene_.connect(to_host);
    writes_ = !to_host;
    scene_.find_track(scene_.cycle() + (pick(3) == 0 ? pick(2 * kTurnClocks) : 0));
    scene_.formatter(fmt_regs::Limit::kOffset, pick(4));
    if (writes_) move_host();
    const Op op = to_host ? (pick(4) == 0 ? Op::kVerify : Op::kRead) : Op::kWrite;
    scene_.start(op, pick(8) == 0 ? sectors() : pick(sectors()), pick(12));
    const std::uint32_t pace = 1 + pick(4);
    for (int i = 0; i < 400 && scene_.busy(); ++i) {
      scene_.step(pace * pick(700));
      disturb();
      look();
    }
    scene_.command(Op::kAbort);
    scene_.step(50 * 150);  // a sector being written ends
    look();
  }

  void disturb() {
    switch (pick(20)) {
      case 0: scene_.formatter(Intr::kOffset, pick(8)); break;
      case 1:
      case 2:
      case 3: move_host(); break;
      case 4:
        if (pick(4) == 0) scene_.command(Op::kAbort);
        break;
      case 5:
        if (pick(4) == 0) scene_.lose_track();
        break;
      case 6:
        if (pick(4) == 0) scene_.buffer(buf_regs::Disk::kOffset, 0);
        break;
      default: break;
    }
  }

  void move_host() {
    const std::uint32_t level = scene_.level();
    const std::uint32_t size = scene_.buffer(buf_regs::SegmentSize::kOffset);
    const std::uint32_t bytes = scene_.disk.layout().data_bytes();
    const std::uint32_t count = pick((writes_ ? size - level : level) + 1);
    // The disk's share of the RAM, which the model does not know, may cost the host a clock a
    // sector: both go on from the same cycle. What the host costs alone: test_buffer_mgr.cpp.
    const std::uint64_t over = scene_.cycle() + count * (bytes + 8) + 8;
    if (writes_) {
      scene_.host_write(random_bytes(random_(), std::size_t{count} * bytes));
    } else {
      for (const std::uint8_t byte : scene_.host_read(count)) digest_ = digest_ * 31 + byte;
    }
    scene_.step(over - scene_.cycle());
    note(scene_.notes, scene_.cycle(), "host's bytes", digest_);
  }

  void look() {
    for (const std::uint32_t offset :
         {fmt_regs::Status::kOffset, fmt_regs::Progress::kOffset, Error::kOffset, Intr::kOffset}) {
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
  std::uint32_t digest_ = 0;
};

class FormatterRandom : public testing::TestWithParam<std::uint32_t> {};
TEST_P(FormatterRandom, ModelAndRtl_AnswerAlikeInEveryCycle) {
  EXPECT_TRUE(alike(Play<DiskPathTlm>(GetParam()).run(), Play<DiskPathRtl>(GetParam()).run()))
      << "seed " << GetParam();
}
INSTANTIATE_TEST_SUITE_P(Seeds, FormatterRandom, testing::Range(1U, 25U));

}  // namespace
}  // namespace headstack::contract
