// SPDX-License-Identifier: Apache-2.0
// Bytes that a receiver takes ahead of the kernel (sim/soc/bytes_ahead.hpp). They are the same
// bytes at the same picoseconds as by the kernel's events, however many are taken, whenever, and
// whatever follows. The plain model is the same assembly beside it, which nobody runs ahead.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <random>
#include <systemc>

#include "tests/unit/test_channel_bench.hpp"

namespace headstack::channel {
namespace {

using test::now_ps;
using test::run_until;

/// A call of an assembly, with its time, which may be ahead.
struct Told {
  Picoseconds at;
  char
      what;  // i, s: a pulse; b: a byte; w: a byte is wanted; l: levels; [, ]: an observer's sector
  unsigned value;

  friend bool operator==(const Told& a, const Told& b) {
    return a.at == b.at && a.what == b.what && a.value == b.value;
  }
  friend std::ostream& operator<<(std::ostream& out, const Told& told) {
    return out << told.what << ' ' << told.value << " at " << told.at << " ps";
  }
};

class Log : public HdaSink, public HdaObserver {
 public:
  void levels(const HdaLevels& levels) override {
    note('l', levels.read_ready | levels.write_ready << 1 | levels.at_speed << 2);
  }
  void index_pulse() override { note('i', 0); }
  void sector_pulse() override { note('s', 0); }
  void byte_strobe(std::uint8_t nrz) override { note('b', nrz); }
  std::uint8_t nrz_to_write() override {
    ++written_;
    note('w', written_ & 0xFF);
    return static_cast<std::uint8_t>(written_);
  }

  void sector_began(Picoseconds at, const geometry::Chs& sector) override {
    told.push_back({at, '[', sector.sector});
  }
  void sector_ended(Picoseconds at, const geometry::Chs& sector) override {
    told.push_back({at, ']', sector.sector});
  }

  std::vector<Told> told;

 private:
  void note(char what, unsigned value) { told.push_back({now_ps(), what, value}); }
  std::uint32_t written_ = 0;
};

// 6000 rpm, 10 sectors a track: a byte takes 1.8 us.
TEST(BytesAhead, TakenAtRandom_AreTheKernelsOwn) {
  constexpr std::uint32_t kSeed = 1806;
  std::mt19937 generator(kSeed);
  const auto random = [&generator] { return static_cast<std::uint32_t>(generator()); };
  const drive::DriveDescription description = test::small_drive();
  HeadDiskAssembly plain("plain", description);
  HeadDiskAssembly ahead("ahead", description);
  Log plain_log, ahead_log;
  plain.connect(plain_log);
  ahead.connect(ahead_log);
  plain.observe(plain_log);
  ahead.observe(ahead_log);
  std::size_t taken = 0, compared = 0;
  for (int step = 0; step < 4000; ++step) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", step " + std::to_string(step));
    const Picoseconds until =
        now_ps() + 1 + static_cast<Picoseconds>(random() % from_ms(random() % 16 == 0 ? 3 : 0.1));
    // Several goes at one instant, some of which take nothing.
    for (std::uint32_t goes = random() % 4; goes > 0; --goes) {
      ahead.take_over();
      for (std::uint32_t most = random() % 100; most > 0; --most) {
        const std::optional<Picoseconds> next = ahead.next_byte();
        if (!next || *next >= until) break;
        ahead_log.told.push_back({*next, 'b', ahead.pass_byte_ahead()});
        ++taken;
      }
      ahead.give_back();
    }
    run_until(until);
    // Of what the kernel does meanwhile, "write ready" changes no byte that is read.
    std::stable_sort(ahead_log.told.begin(), ahead_log.told.end(),
                     [](const Told& a, const Told& b) { return a.at < b.at; });
    const std::uint32_t act = random() % 32;
    const std::uint32_t a = random(), b = random();
    for (HeadDiskAssembly* hda : {&plain, &ahead}) {
      if (act < 8) hda->gates(true, false);
      if (act == 8) hda->gates(a % 2 != 0, b % 4 == 0);
      if (act == 9) hda->listen(a % 2 != 0, b % 2 != 0);
      if (act == 10) hda->seek(a % 5, b % 3);  // a cylinder and a head more than there are
    }
    for (std::size_t i = 0; i < std::min(ahead_log.told.size(), plain_log.told.size()); ++i) {
      ASSERT_EQ(ahead_log.told[i], plain_log.told[i]) << "the " << i << ". of the step";
    }
    ASSERT_EQ(ahead_log.told.size(), plain_log.told.size());
    compared += plain_log.told.size();
    plain_log.told.clear();
    ahead_log.told.clear();
  }
  // Most of what passes, passes ahead; the rest by the kernel.
  EXPECT_GT(taken, 1000U);
  EXPECT_GT(compared, taken + 1000U);
}

}  // namespace
}  // namespace headstack::channel
