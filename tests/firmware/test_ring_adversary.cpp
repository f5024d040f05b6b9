// SPDX-License-Identifier: Apache-2.0
// Random loads against the rings of the cache (firmware/transfer/cache.h): few small segments that
// wrap all the time. Reads stand in every relation to what is cached, and to what is being read
// ahead. Hosts are slow enough that their data are still needed when the ring goes on. Writes, page
// 08h, page 21h, aborts and bad sectors come in between.
//
// What must hold after every step is what the cache's header promises. The content of the cache
// equals that of the media. Read-ahead goes over no block that a read still needs, and has room for
// what it has planned. ServiceWorld holds each block that moves against the media besides.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "firmware/events.h"
#include "firmware/unit/mode_page.h"
#include "tests/firmware/cache_bench.hpp"

namespace headstack {
namespace {

using test::design_by_hand;
using test::kNoLimit;
using test::kSectorTicks;
using test::ServiceWorld;

constexpr std::uint32_t kSeed = 4711;
constexpr std::uint32_t kSeeds = 200;
constexpr int kCommands = 150;
constexpr std::uint32_t kCapacity = 800;
constexpr std::uint32_t kBufferSectors = 128, kCacheSectors = 96;

/// Counts of the events that the test is about.
struct Seen {
  std::size_t hits = 0, joins = 0, parts = 0, wrapped = 0, written_hits = 0, evictions = 0;
  std::size_t slow_readers = 0, stale_in_use = 0, over_buffer = 0, free_runs = 0;

  void add(const Seen& other) {
    hits += other.hits;
    joins += other.joins;
    parts += other.parts;
    wrapped += other.wrapped;
    written_hits += other.written_hits;
    evictions += other.evictions;
    slow_readers += other.slow_readers;
    stale_in_use += other.stale_in_use;
    over_buffer += other.over_buffer;
    free_runs += other.free_runs;
  }
};

class Adversary {
 public:
  explicit Adversary(std::uint32_t seed)
      : random_(seed),
        has_faults_(one_in(4)),
        depth_(1U << random_() % 5),
        first_(std::array{0U, 300U, kCapacity - 80}[random_() % 3]),
        options_(draw({})),
        world_(design_by_hand(), start()) {
    world_.spin_up();
    task_set_restrict(&world_.core().tasks, true);
  }

  void play() {
    for (int i = 0; i < kCommands && !testing::Test::HasFailure(); ++i) {
      if (one_in(20)) change_modes();
      if (has_faults_ && one_in(6)) fail_sectors();
      submit();
      let_time_pass();
      await(depth_ - 1);
      if (one_in(25)) abort_one();
    }
    await(0);
    if (testing::Test::HasFailure()) return;
    options_.caching = {};  // The cache gives its segments back.
    world_.change_modes(options_);
    world_.run_until(world_.soc().now() + 100 * kSectorTicks);
    EXPECT_TRUE(world_.buffer_is_free());
  }

  Seen seen;

 private:
  struct Range {
    std::uint32_t lba = 0, blocks = 1;
  };

  bool one_in(std::uint32_t n) { return random_() % n == 0; }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  // ---- random choices

  ServiceWorld::Options start() {
    // A sector of the media takes 40,000 ticks.
    options_.host_block_ticks = std::array{500U, 2000U, 30'000U, 60'000U, 300'000U}[below(5)];
    if (one_in(2)) options_.host_phase_blocks = 1 + below(8);
    return options_;
  }

  ServiceWorld::Options draw(ServiceWorld::Options options) {
    ::mode_caching& caching = options.caching;
    caching.reads = !one_in(12);
    caching.writes = one_in(2);
    caching.segments = static_cast<std::uint8_t>(1 + below(4));
    // MODE SELECT rounds down to what the buffer has, in cells.
    const std::uint32_t most = std::min(32U, kCacheSectors / caching.segments / 4 * 4);
    caching.segment_blocks =
        static_cast<std::uint16_t>(one_in(3) ? 1 + below(6) : 4 + below(most - 3));
    caching.ahead_blocks = static_cast<std::uint16_t>(one_in(6) ? 0 : 1 + below(40));
    caching.ahead_task_blocks = one_in(6) ? 4 : kNoLimit;
    caching.ahead_bits = 0;
    if (!one_in(3)) caching.ahead_bits |= MODE_CONTROLLER_AHEAD_OVER;
    if (!one_in(3)) caching.ahead_bits |= MODE_CONTROLLER_KEEPS_WRITTEN;
    if (one_in(6)) caching.ahead_bits |= MODE_CONTROLLER_AHEAD_ONE_TRACK;
    if (one_in(6)) caching.ahead_bits |= MODE_CONTROLLER_AHEAD_MISSES;
    caching.reads_free = one_in(2);
    options.retries = below(3);
    return options;
  }

  void change_modes() {
    const auto before = options_;
    options_ = draw(options_);
    // Most changes leave the segments in place, and those in use get new limits.
    if (!one_in(3)) {
      options_.caching.reads = before.caching.reads;
      options_.caching.segments = before.caching.segments;
      options_.caching.segment_blocks = before.caching.segment_blocks;
    }
    world_.change_modes(options_);
    check();
  }

  void fail_sectors() {
    std::vector<std::uint32_t> errors(below(40), 0U);
    for (std::uint32_t left = 1 + below(3); left > 0; --left) {
      errors.push_back(std::array{FORMATTER_ERROR_CHECK, FORMATTER_ERROR_NOT_FOUND,
                                  FORMATTER_ERROR_OVERRUN}[below(3)]);
    }
    world_.soc().fail_sectors(errors);
  }

  std::uint32_t draw_blocks() {
    const std::uint32_t segment = options_.caching.segment_blocks;
    if (one_in(20)) return 1 + below(kBufferSectors + 40);
    return one_in(6) ? 1 + below(40) : 1 + below(segment);
  }

  /// A range beside a row of the cache: before it, in it, after it, over one end or both.
  Range by_row(std::uint32_t blocks) {
    std::vector<const ::cache_segment*> rows;
    for (const ::cache_segment& row : cache().segment) {
      if (row.segment != SEGMENT_NONE) rows.push_back(&row);
    }
    if (rows.empty()) return {first_ + below(60), blocks};
    const ::cache_segment& row = *rows[below(static_cast<std::uint32_t>(rows.size()))];
    const auto offset =
        static_cast<int>(below(row.blocks + blocks + 6)) - static_cast<int>(blocks) - 2;
    const int lba = static_cast<int>(row.lba) + offset;
    return {lba < 0 ? 0 : static_cast<std::uint32_t>(lba), blocks};
  }

  Range draw_range() {
    const std::uint32_t blocks = draw_blocks();
    Range range{first_ + below(60), blocks};
    const std::uint32_t what = below(16);
    if (what < 5) range = {next_, blocks};
    if (what >= 5 && what < 7) range = {next_ - std::min(next_, below(blocks + 4)), blocks};
    if (what >= 7 && what < 12) range = by_row(blocks);
    if (what == 12 || what == 13) range = last_written_;
    if (what == 14) range = last_read_;
    range.lba = std::min(range.lba, kCapacity - 1);
    range.blocks = std::min(range.blocks, kCapacity - range.lba);
    return range;
  }

  // ---- events

  void submit() {
    const Range range = draw_range();
    const bool writes = one_in(5);
    const auto operation = writes ? TASK_WRITE : one_in(30) ? TASK_VERIFY : TASK_READ;
    std::uint8_t flags = 0;
    if (one_in(16)) flags |= TASK_FLAG_FORCE_UNIT_ACCESS;
    if (one_in(16)) flags |= TASK_FLAG_DISABLE_PAGE_OUT;
    const auto attribute = one_in(20) ? TASK_ORDERED : TASK_SIMPLE;
    if (range.blocks > kBufferSectors) ++seen.over_buffer;
    if (writes) last_written_ = range;
    if (operation == TASK_READ) {
      last_read_ = range;
      next_ = range.lba + range.blocks < kCapacity ? range.lba + range.blocks : first_;
    }
    world_.submit(operation, range.lba, range.blocks, attribute, flags);
    check();
  }

  /// Lets no time pass, some steps, or a part of sectors, so that read-ahead has progressed.
  void let_time_pass() {
    const std::uint32_t what = below(4);
    if (what == 0) return;
    if (what == 1) {
      for (std::uint32_t steps = below(30); steps > 0 && step(); --steps) {
      }
      return;
    }
    const std::uint32_t sectors = what == 2 ? 4 : 60;
    bool is_over = false;
    world_.soc().after(below(sectors * kSectorTicks), [&is_over] { is_over = true; });
    while (!is_over && step()) {
    }
  }

  /// Makes a step. False when nothing happens by itself any more.
  bool step() {
    const bool more = world_.step();
    check();
    return more && !testing::Test::HasFailure();
  }
  /// Waits until at most this many commands are out.
  void await(std::uint32_t most) {
    while (world_.live() > most && step()) {
    }
    if (testing::Test::HasFailure()) return;
    ASSERT_LE(world_.live(), most) << "every command ends";
  }

  void abort_one() {
    std::vector<::task*> candidates;
    ::task_set& set = world_.core().tasks;
    for (::task* task = task_set_oldest(&set); task != nullptr;
         task = task_set_younger(&set, task)) {
      const bool is_out = task->state != TASK_ENDED && (task->flags & TASK_FLAG_ABORTED) == 0;
      if (is_out) candidates.push_back(task);
    }
    if (candidates.empty()) return;
    world_.abort(candidates[below(static_cast<std::uint32_t>(candidates.size()))]);
    check();
  }

  // ---- checks

  const ::cache& cache() { return world_.core().cache; }
  const ::segments& segments() { return world_.core().segments; }

  void check() {
    hear();
    for (std::size_t i = 0; i < std::size(cache().segment); ++i) {
      const ::cache_segment& row = cache().segment[i];
      if (row.segment == SEGMENT_NONE) continue;
      const bool is_written = i < CACHE_WRITTEN;
      const bool lingers = is_written && row.users == 0;
      if (lingers && !segments_lingers(&segments(), static_cast<std::uint32_t>(i))) continue;
      if (row.is_stale) {
        seen.stale_in_use += row.users > 0;
        continue;
      }
      check_content(row);
    }
    check_room();
    check_readers();
  }

  /// Checks that the content of the cache equals that of the media.
  void check_content(const ::cache_segment& row) {
    const std::uint32_t from = segments_first_byte(&segments(), row.segment) / 512;
    ASSERT_LE(row.blocks, segments_length(&segments(), row.segment));
    for (std::uint32_t i = 0; i < row.blocks; ++i) {
      const std::uint32_t place = cache_place_of(&cache(), &row, row.lba + i);
      ASSERT_EQ(world_.soc().buffered(from + place), world_.soc().media(row.lba + i))
          << "block " << row.lba + i << " in place " << place;
    }
    if (row.first != 0) ++seen.wrapped;
  }

  /// Checks that the media's segment has room for all planned blocks.
  void check_room() {
    const ::cache_segment* filling = cache().filling;
    const ::media& media = world_.core().media;
    if (filling == nullptr || media.aborted || media.state == MEDIA_IDLE) return;
    const std::uint32_t end = cache().fill_lba + media_blocks_planned(&media);
    ASSERT_LE(end, filling->lba + segments_length(&segments(), filling->segment));
    if (filling == last_filling_ && filling->lba > last_lba_) ++seen.evictions;
    last_filling_ = filling;
    last_lba_ = filling->lba;
  }

  /// Checks that read-ahead replaces the oldest blocks only, except those that a read still needs.
  void check_readers() {
    ::task_set& set = world_.core().tasks;
    for (::task* task = task_set_oldest(&set); task != nullptr;
         task = task_set_younger(&set, task)) {
      if (task->operation != TASK_READ || task->segment == SEGMENT_NONE) continue;
      const ::cache_segment* row = cache_of(&world_.core().cache, task);
      if (row == nullptr || task->host_blocks_left == 0) continue;
      const std::uint32_t next = task->lba + task->blocks - task->host_blocks_left;
      ASSERT_LE(row->lba, next) << "the read of " << task->lba << " still needs that";
      ASSERT_LE(task->lba + task->blocks, row->lba + segments_length(&segments(), row->segment));
      if (row == cache().filling && row->owner == TASK_NONE) ++seen.slow_readers;
    }
  }

  void hear() {
    const auto& trace = world_.soc().trace();
    for (; heard_ < trace.size(); ++heard_) {
      const std::uint32_t index = trace[heard_].argument & 0xFFFF;
      if (trace[heard_].number == TRACE_CACHE_PART) ++seen.parts;
      if (trace[heard_].number == TRACE_FREE_BLOCKS) ++seen.free_runs;
      if (trace[heard_].number != TRACE_CACHE_HIT) continue;
      const ::task* task = &world_.core().tasks.task[index];
      const ::cache_segment* row = cache_of(&world_.core().cache, task);
      ++(task == world_.core().service.current ? seen.joins : seen.hits);
      if (row != nullptr && row < cache().segment + CACHE_WRITTEN) ++seen.written_hits;
    }
  }

  std::mt19937 random_;
  bool has_faults_;
  std::uint32_t depth_;  // commands
  std::uint32_t first_;  // block
  ServiceWorld::Options options_;
  ServiceWorld world_;
  std::uint32_t next_ = first_;
  Range last_written_{first_, 1}, last_read_{first_, 1};
  const ::cache_segment* last_filling_ = nullptr;
  std::uint32_t last_lba_ = 0;
  std::size_t heard_ = 0;
};

TEST(RingAdversary, UnderAnyLoad_TheRingHasTheDataOfTheMedia) {
  Seen seen;
  for (std::uint32_t seed = kSeed; seed < kSeed + kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Adversary adversary(seed);
    adversary.play();
    seen.add(adversary.seen);
  }
  // The test is meaningful only if all of this happens often.
  EXPECT_GT(seen.hits, 1000U);
  EXPECT_GT(seen.joins, 300U);
  EXPECT_GT(seen.parts, 300U);
  EXPECT_GT(seen.wrapped, 1000U) << "steps with a ring that begins elsewhere";
  EXPECT_GT(seen.written_hits, 50U);
  EXPECT_GT(seen.evictions, 300U);
  EXPECT_GT(seen.slow_readers, 1000U) << "steps of read-ahead beside a read that takes data";
  EXPECT_GT(seen.stale_in_use, 50U);
  EXPECT_GT(seen.over_buffer, 100U);
  EXPECT_GT(seen.free_runs, 300U) << "runs that begin before their first block";
}

}  // namespace
}  // namespace headstack
