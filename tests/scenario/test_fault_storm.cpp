// SPDX-License-Identifier: Apache-2.0
// All faults at once, by seed, under a queue with and without caches. They are a failing arm and
// spindle, missing index pulses, flawed sectors and headers, and writes that fail. Every command
// ends. Reads with GOOD return the written data. When the faults are over, the drive works.
#include <array>
#include <map>
#include <random>
#include <set>

#include "tests/firmware/controller_page.hpp"
#include "tests/scenario/fault_bench.hpp"

namespace headstack::scenario {
namespace {

/// Blocks that only one tag uses: commands on one region follow one another.
constexpr std::uint32_t kRegionBlocks = 260;
constexpr std::uint32_t kRegions = 8;
constexpr int kCommands = 25;                // of each
constexpr std::uint32_t kStreamBlocks = 60;  // of a region
constexpr int kStreamCommands = 200;
constexpr double kFaultySpanMs = 4000;
/// After a refused command that kept the bus, others get BUSY for this time
/// (firmware/transfer/bus_holder.h).
constexpr Picoseconds kTurnedAway = 200 * kMillisecond;

using Versions = std::set<std::uint32_t>;

/// An acknowledged write that may still be lost, with the earlier content of its blocks.
struct Cached {
  std::uint32_t lba = 0;
  std::vector<Versions> before;
  bool was_missed = false;  // a read returned the earlier content, so an error must be reported
  bool was_told = false;

  bool holds(std::uint32_t block) const { return block >= lba && block < lba + before.size(); }
};

class FaultStorm : public FaultBench, public testing::WithParamInterface<std::uint32_t> {
 protected:
  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  static drive::Specimen storm(std::uint32_t seed) {
    drive::Specimen specimen;
    specimen.flaw_seed = seed;
    specimen.unreadable_sectors = 3;
    specimen.correctable_sectors = 6;
    specimen.intermittent_sectors = 6;
    specimen.intermittent_probability = 0.4;
    specimen.decaying_sectors = 4;
    specimen.decaying_half_reads = 6;
    specimen.write_fault_sectors = 5;
    specimen.weak_write_sectors = 4;
    specimen.bad_header_sectors = 2;
    specimen.no_sync_sectors = 1;
    specimen.scratches = 2;
    specimen.random.arm_share = 0.06;
    specimen.random.arm_ms = 25;
    specimen.random.arm_cylinders = 4;
    specimen.random.dropouts = 4;
    specimen.random.dropout_span_ms = kFaultySpanMs;
    specimen.random.dropout_ms = 120;
    specimen.random.missing_index_share = 0.05;
    if (seed % 3 == 0) specimen.index_faults = {{100 + seed, 120, 1}};
    if (seed % 4 == 0) {
      drive::SpindleFault latched;
      latched.at_ms = 150.0 + 10 * seed;
      drive::SpindleFault fails;
      fails.kind = drive::SpindleFaultKind::kNoStart;
      fails.starts = 1 + seed % 5;
      fails.speed_share = 0.5;
      specimen.spindle_faults = {latched, fails};
    }
    return specimen;
  }

  void set_modes() {
    constexpr std::uint8_t kFlags[] = {0, kReadCacheDisabled, kWriteCache};
    CachePage page;
    page.flags = kFlags[GetParam() % 3];
    writes_are_cached_ = page.flags == kWriteCache;
    ASSERT_EQ(run(mode_select_6(caching_page(page))), "GOOD");
    set_retries(static_cast<std::uint8_t>(pick(9)), static_cast<std::uint8_t>(pick(9)));
    ASSERT_EQ(run(mode_select_6(scheduler_page(static_cast<std::uint8_t>(pick(3))))), "GOOD");
  }
  /// Sets a stream, commands that keep the bus, and any options of the controller and limits of the
  /// bus.
  void set_habits() {
    has_habits_ = true;
    regions_ = 1 + pick(kRegions);
    calmness_ = 2U << pick(6);
    if (pick(2) == 0) {
      writes_are_cached_ = true;
      ASSERT_EQ(run(mode_select_6(caching_page({kWriteCache, 0, 6, 16, 0xFFFF}))), "GOOD");
    }
    Bytes controller = test::controller_page();
    controller[MODE_CONTROLLER_AT_AHEAD] = static_cast<std::uint8_t>(pick(64));
    controller[MODE_CONTROLLER_AT_MORE] = pick(2) == 0 ? MODE_CONTROLLER_READS_FREE : 0;
    ASSERT_EQ(run(mode_select_6(controller)), "GOOD");
    const std::uint32_t limits = pick(32);
    Bytes bus(16);
    bus[0] = 0x02;
    bus[1] = 14;
    bus[2] = static_cast<std::uint8_t>(pick(256));
    if ((limits & 1U) != 0) bus[5] = static_cast<std::uint8_t>(1 + pick(20));
    if ((limits & 2U) != 0) bus[7] = static_cast<std::uint8_t>(1 + pick(12));
    if ((limits & 4U) != 0) bus[9] = static_cast<std::uint8_t>(1 + pick(40));
    if ((limits & 8U) != 0) bus[11] = static_cast<std::uint8_t>(1 + pick(32));
    if ((limits & 16U) != 0) bus[12] = 0x08;  // DImm
    if (pick(4) == 0) {
      bus[11] = 0;
      bus[12] = static_cast<std::uint8_t>(bus[12] | (pick(2) == 0 ? 1U : 3U));  // DTDC
    }
    ASSERT_EQ(run(mode_select_6(bus)), "GOOD");
  }

  // ---- possible content of blocks

  Versions& allowed(std::uint32_t lba) {
    const auto found = allowed_.find(lba);
    return found != allowed_.end() ? found->second : allowed_[lba] = {0};
  }
  Bytes block(std::uint32_t lba, std::uint32_t version) {
    return version == 0 ? Bytes(kBlockBytes) : blocks().version(lba, 1, version);
  }
  bool is_one_of(const Bytes& data, std::uint32_t lba, const Versions& versions) {
    for (const std::uint32_t version : versions) {
      if (block(lba, version) == data) return true;
    }
    return false;
  }

  void check_block(std::uint32_t lba, const Bytes& data) {
    if (is_one_of(data, lba, allowed(lba))) return;
    for (Cached& write : cached_) {
      if (!write.holds(lba) || !is_one_of(data, lba, write.before[lba - write.lba])) continue;
      write.was_missed = true;
      return;
    }
    ADD_FAILURE() << "block " << lba << " is wrong, seed " << GetParam();
  }

  /// Notes that a lost write was reported by one of its blocks.
  void note_lost(std::uint32_t lba) {
    for (Cached& write : cached_) {
      if (!write.holds(lba)) continue;
      write.was_told = true;
      for (std::uint32_t i = 0; i < write.before.size(); ++i) {
        allowed(write.lba + i).insert(write.before[i].begin(), write.before[i].end());
      }
    }
  }

  /// Notes a report of a lost write, by a deferred error or by SYNCHRONIZE CACHE.
  void note_told(const Completion& done, bool is_flush) {
    const bool tells = is_deferred(done) || (is_flush && outcome(done) != "GOOD");
    if (tells && information(done.sense)) note_lost(*information(done.sense));
    for (const Bytes& sense : host().take_overheard()) {
      if (sense_is_deferred(sense) && information(sense)) note_lost(*information(sense));
    }
  }

  void note_write(std::uint32_t lba, std::uint32_t count, std::uint32_t version, bool good) {
    Cached write{lba, {}};
    for (std::uint32_t i = 0; i < count; ++i) {
      write.before.push_back(allowed(lba + i));
      if (good) allowed(lba + i).clear();
      allowed(lba + i).insert(version);
    }
    if (good && writes_are_cached_) cached_.push_back(write);
  }

  // ---- commands

  struct Out {
    Ticket ticket = 0;
    bool is_write = false;
    bool is_read = false;
    bool is_flush = false;
    std::uint32_t kind = 9;
    std::uint32_t lba = 0;
    std::uint32_t count = 0;
    std::uint32_t version = 0;
  };

  /// Chooses a place anywhere in the region. For a stream it is often where the last command ended,
  /// with its operation.
  void choose(std::uint32_t region, Out& out) {
    out.kind = pick(10);
    if (!has_habits_) {
      out.count = 1 + pick(24);
      out.lba = region * kRegionBlocks + pick(kRegionBlocks - out.count);
      return;
    }
    const Out last = out_[region];
    out.count = 1 + pick(8);
    out.lba = region * kRegionBlocks + pick(kStreamBlocks - out.count);
    const std::uint32_t behind = last.lba + last.count;
    const bool fits =
        last.count > 0 && behind + out.count <= region * kRegionBlocks + kStreamBlocks;
    if (fits && pick(4) != 0) out.lba = behind;
    if (pick(4) != 0) out.kind = last.kind;
  }

  void submit_next(std::uint32_t region) {
    Out out;
    choose(region, out);
    Command command = test_unit_ready();
    switch (out.kind) {
      case 0: command = verify_10(out.lba, out.count); break;
      case 1:
        out.is_flush = writes_are_cached_;
        if (out.is_flush) command = synchronize_cache();
        break;
      case 2:
      case 3:
      case 4:
      case 5:
        out.is_read = true;
        command = read_10(out.lba, out.count);
        break;
      default:
        out.is_write = true;
        out.version = ++version_;
        command = write_10(out.lba, blocks().version(out.lba, out.count, out.version));
    }
    command = tagged(std::move(command), static_cast<std::uint16_t>(region + 1));
    if (has_habits_ && pick(calmness_) == 0) command.tag_type = TagType::kHeadOfQueue;
    if (has_habits_ && pick(calmness_) == 0) command.tag_type = TagType::kOrdered;
    if (has_habits_ && pick(calmness_) == 0) command.may_disconnect = false;
    out.ticket = submit(std::move(command));
    out_[region] = out;
  }

  void take(const Out& out) {
    const Completion& done = result(out.ticket);
    const std::string how = outcome(done);
    note_told(done, out.is_flush);
    const bool was_begun = !is_deferred(done) && how != "BUSY" && how != "QUEUE FULL";
    if (out.is_write && was_begun) note_write(out.lba, out.count, out.version, how == "GOOD");
    if (how == "GOOD") {
      if (!out.is_read) return;
      ASSERT_EQ(done.data.size(), out.count * kBlockBytes);
      for (std::uint32_t i = 0; i < out.count; ++i) {
        const auto at = done.data.begin() + static_cast<std::ptrdiff_t>(i * kBlockBytes);
        check_block(out.lba + i, Bytes(at, at + kBlockBytes));
      }
      return;
    }
    const bool is_expected = how == "BUSY" || how == "QUEUE FULL" || how.rfind("2/04/0", 0) == 0 ||
                             how.rfind("3/1", 0) == 0 || how.rfind("4/", 0) == 0;
    EXPECT_TRUE(is_expected && how != "4/44/00") << how << ", seed " << GetParam();
    ++failed_;
  }

  void play() {
    std::array<int, kRegions> left{};
    left.fill(has_habits_ ? kStreamCommands : kCommands);
    std::uint32_t busy = 0;
    for (std::uint32_t region = 0; region < regions_; ++region, ++busy) submit_next(region);
    const Picoseconds end = platform().now() + 300 * kPicosecondsPerSecond;
    while (busy > 0) {
      ASSERT_EQ(platform().exit_code(), std::nullopt) << "seed " << GetParam();
      ASSERT_LT(platform().now(), end) << "a command without end, seed " << GetParam();
      run_for(kMillisecond);
      for (std::uint32_t region = 0; region < regions_; ++region) {
        if (left[region] == 0 || !is_done(out_[region].ticket)) continue;
        take(out_[region]);
        if (--left[region] == 0) {
          --busy;
          continue;
        }
        // A host that is told to start the unit does.
        if (outcome(result(out_[region].ticket)) == "2/04/02") start_unit();
        submit_next(region);
      }
    }
  }

  void start_unit() {
    const Completion done =
        await(submit(tagged(start_stop(true), 100)), 60 * kPicosecondsPerSecond);
    note_told(done, false);
  }

  /// Fetches reports until no lost write is left.
  void hear_of_losses() {
    for (int i = 0; writes_are_cached_ && i < 100; ++i) {
      const Completion done = execute(synchronize_cache());
      note_told(done, true);
      if (outcome(done) == "GOOD") return;
    }
  }

  /// The faults of spindle and index are over.
  void expect_alive() {
    if (platform().now() < from_ms(kFaultySpanMs + 500)) {
      run_for(from_ms(kFaultySpanMs + 500) - platform().now());
    }
    for (int i = 0; i < 100; ++i) {
      const Completion ready = execute(test_unit_ready());
      note_told(ready, false);
      if (outcome(ready) == "GOOD") break;
      if (outcome(ready) == "2/04/02") start_unit();
      run_for(50 * kMillisecond);
    }
    if (has_habits_) run_for(kTurnedAway);
    hear_of_losses();
    EXPECT_EQ(run(test_unit_ready()), "GOOD") << "seed " << GetParam();
    set_retries(8, 8);
    std::uint32_t read = 0;
    const std::uint32_t step = has_habits_ ? 13 : 64;
    for (std::uint32_t lba = 0; lba + 8 <= capacity() && lba < kRegions * kRegionBlocks;
         lba += step) {
      const Completion done = execute(read_10(lba, 1));
      note_told(done, false);
      if (outcome(done) != "GOOD") continue;
      check_block(lba, done.data);
      ++read;
    }
    // A few dozen of 2,160 sectors cannot be read.
    EXPECT_GE(read * step, 25U * 64) << "of 33 * 64, seed " << GetParam();
  }

  void expect_losses_told() {
    for (const Cached& write : cached_) {
      EXPECT_TRUE(!write.was_missed || write.was_told)
          << "a lost write of block " << write.lba << " was never told, seed " << GetParam();
    }
  }

  std::mt19937 random_{GetParam()};
  std::map<std::uint32_t, Versions> allowed_;
  std::vector<Cached> cached_;
  std::array<Out, kRegions> out_;
  std::uint32_t version_ = 0;
  int failed_ = 0;
  bool writes_are_cached_ = false;
  bool has_habits_ = false;
  std::uint32_t regions_ = kRegions;
  std::uint32_t calmness_ = 0;  // one of this many commands is not a simple one
};

TEST_P(FaultStorm, EveryCommandEnds_NoWrongDataAreRead_AndTheDriveWorks) {
  power_on_with(storm(GetParam()));
  set_modes();
  play();
  expect_alive();
  EXPECT_GT(failed_, 0) << "the storm was a breeze, seed " << GetParam();
  expect_losses_told();
}

TEST_P(FaultStorm, WithAnyHostBehaviourAndBusLimits_NoWrongDataAreRead_AndTheDriveWorks) {
  power_on_with(storm(GetParam()));
  set_modes();
  set_habits();
  play();
  expect_alive();
  expect_losses_told();
}
INSTANTIATE_TEST_SUITE_P(Seeds, FaultStorm, testing::Range(1U, 1U + storm_seeds()));

}  // namespace
}  // namespace headstack::scenario
