// SPDX-License-Identifier: Apache-2.0
// Random loads, near the drive's end and with faulty sectors, too, while MODE SELECT changes pages
// 01h, 02h, 08h and 21h. A small model has the rules that hold for any of their values.
// ServiceWorld compares each block that moves with the media.
//
// The model has a task's range and order, and the ratios in force when the media began with it. It
// assumes that a track of design_by_hand() has 10 blocks, and that there are no slips.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
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
using test::kTrackSectors;
using test::ServiceWorld;

constexpr std::uint32_t kSeed = 90210;
constexpr std::uint32_t kSeeds = 240;
constexpr int kTasks = 200;
constexpr std::uint32_t kCapacity = 800;
constexpr std::uint32_t kBlocks = 150;  // near each other, so that they overlap

/// SPC-2 8.3.7: 256ths, rounded down, and FFh for all; one block at least.
std::uint32_t share_of(std::uint32_t ratio, std::uint32_t blocks) {
  if (ratio == 0xFF) return blocks;
  const std::uint32_t share = blocks * ratio / 256;
  return share == 0 ? 1 : share;
}

/// Page 21h, byte 19: a share, or a number of blocks, with half as many more from 45 blocks on.
std::uint32_t start_of(const ::mode_disconnect& mode, std::uint32_t blocks) {
  if (!mode.write_counts) return share_of(mode.write_ratio, blocks);
  const std::uint32_t count = mode.write_ratio * (blocks >= 45 ? 3U : 2U) / 2;
  return std::clamp(count, 1U, blocks);
}

struct Known {
  std::uint32_t number = 0;  // in the order of arrival
  enum task_operation operation = TASK_READ;
  std::uint32_t lba = 0, blocks = 0;
  enum task_attribute attribute = TASK_SIMPLE;
  bool begun = false, from_cache = false, granted = false;
  bool is_done = false;  // the media are done with it
  bool is_aborted = false;
  ::mode_disconnect disconnect = {};  // when the media began with it

  bool overlaps(const Known& other) const {
    const bool writes = operation == TASK_WRITE || other.operation == TASK_WRITE;
    return writes && lba < other.lba + other.blocks && other.lba < lba + blocks;
  }
};

class Adversary {
 public:
  explicit Adversary(std::uint32_t seed)
      : random_(seed),
        apart_(seed % 2 == 0),
        has_faults_(seed % 4 >= 2),
        first_(seed % 3 == 0 ? 0 : kCapacity - (apart_ ? 2 : 1) * kBlocks),
        depth_(1U << random_() % 7),
        options_(draw({})),
        world_(design_by_hand(), start()) {
    world_.spin_up();
    task_set_restrict(&world_.core().tasks, !apart_);
  }

  void play() {
    for (int i = 0; i < kTasks && !testing::Test::HasFatalFailure(); ++i) {
      if (one_in(6)) change_modes();
      if (has_faults_ && one_in(4)) fail_sectors();
      submit();
      for (std::uint32_t steps = random_() % 30; steps > 0 && step(); --steps) {
      }
      while (world_.live() >= depth_) step();
      if (one_in(20)) abort_one();
    }
    while (world_.live() > 0 && step()) {
    }
    world_.run();
    hear();
    check_ends();
    options_.caching = {};  // the cache returns its segments
    world_.change_modes(options_);
    world_.run_until(world_.soc().now() + 100 * kSectorTicks);
    EXPECT_TRUE(world_.buffer_is_free());
  }

 private:
  bool one_in(std::uint32_t n) { return random_() % n == 0; }

  ServiceWorld::Options start() {
    options_.host_block_ticks = std::array{500U, 2000U, 50'000U}[random_() % 3];
    return options_;
  }

  ServiceWorld::Options draw(ServiceWorld::Options options) {
    options.disconnect.full_ratio = draw_ratio();
    options.disconnect.write_ratio = draw_ratio();
    options.disconnect.write_counts = one_in(2);
    options.caching.reads = !one_in(4);
    options.caching.writes = one_in(2);
    options.caching.segments = 1 + random_() % 6;
    // MODE SELECT rounds down to what the buffer has: 96 sectors, in cells.
    options.caching.segment_blocks =
        1 + random_() % std::min(40U, 96 / options.caching.segments / 4 * 4);
    options.caching.ahead_blocks = one_in(4) ? 0 : random_() % 60;
    options.caching.ahead_task_blocks = one_in(4) ? 4 : kNoLimit;
    for (const unsigned bit : {MODE_CONTROLLER_AHEAD_ONE_TRACK, MODE_CONTROLLER_AHEAD_MISSES,
                               MODE_CONTROLLER_AHEAD_OVER, MODE_CONTROLLER_KEEPS_WRITTEN}) {
      const bool set = one_in(2);
      options.caching.ahead_bits = static_cast<std::uint8_t>(
          set ? options.caching.ahead_bits | bit : options.caching.ahead_bits & ~bit);
    }
    options.caching.reads_free = one_in(2);
    for (std::uint32_t& ticks : options.controller.ticks) {
      ticks = one_in(3) ? random_() % 40'000 : 0;
      options.controller.takes_time = options.controller.takes_time || ticks != 0;
    }
    if (has_faults_) {
      options.recovery = static_cast<std::uint8_t>(random_() & 0xC6U);  // AWRE, ARRE, PER, DTE
      options.retries = random_() % 4;
    }
    options.controller.far_write_ticks = one_in(2) ? random_() % 40'000 : 0;
    options.controller.write_hold_ticks = one_in(2) ? random_() % 200'000 : 0;
    options.controller.far_in_sequence = one_in(2);
    return options;
  }
  std::uint8_t draw_ratio() {
    constexpr std::array<std::uint8_t, 6> kEdges = {0, 1, 0x7F, 0x80, 0xFE, 0xFF};
    return one_in(2) ? kEdges[random_() % kEdges.size()] : static_cast<std::uint8_t>(random_());
  }

  void fail_sectors() {
    std::vector<std::uint32_t> errors(random_() % 30, 0U);
    for (std::uint32_t left = 1 + random_() % (one_in(5) ? 5 : 2); left > 0; --left) {
      errors.push_back(std::array{FORMATTER_ERROR_CHECK, FORMATTER_ERROR_CHECK,
                                  FORMATTER_ERROR_NOT_FOUND,
                                  FORMATTER_ERROR_OVERRUN}[random_() % 4]);
    }
    world_.soc().fail_sectors(errors);
  }

  void change_modes() {
    check_media();  // work that has begun, began under the modes before
    options_ = draw(options_);
    world_.change_modes(options_);
    hear();
  }

  void submit() {
    Known known;
    known.number = static_cast<std::uint32_t>(arrived_++);
    known.operation = one_in(3) ? TASK_WRITE : one_in(10) ? TASK_VERIFY : TASK_READ;
    known.blocks = 1 + random_() % (one_in(4) ? 40 : 12);
    // Sometimes a stream: read-ahead is for it.
    const bool follows = one_in(3) && next_ + known.blocks <= kBlocks;
    known.lba = follows ? next_ : random_() % (kBlocks - known.blocks);
    next_ = known.lba + known.blocks;
    // If nothing overlaps a write, any task may pass any other. Otherwise a task that passes a
    // write may see either content, and ServiceWorld has only one.
    if (apart_ && known.operation == TASK_WRITE) known.lba += kBlocks;
    known.lba += first_;
    known.attribute = one_in(12)            ? TASK_ORDERED
                      : apart_ && one_in(8) ? TASK_HEAD_OF_QUEUE
                                            : TASK_SIMPLE;
    std::uint8_t flags = one_in(10) ? TASK_FLAG_FORCE_UNIT_ACCESS : 0;
    pending_ = known;
    // The core may begin with it before submit() returns.
    world_.submit(known.operation, known.lba, known.blocks, known.attribute, flags);
    hear();
  }

  void abort_one() {
    std::vector<std::uint32_t> candidates;
    for (const auto& [index, known] : live_) candidates.push_back(index);
    if (candidates.empty()) return;
    const std::uint32_t index = candidates[random_() % candidates.size()];
    ::task* task = &world_.core().tasks.task[index];
    if (task->state == TASK_ENDED || (task->flags & TASK_FLAG_ABORTED) != 0) return;
    live_[index].is_aborted = true;
    ++aborted_;
    world_.abort(task);
    hear();
  }

  bool step() {
    const bool more = world_.step();
    hear();
    check_media();
    return more;
  }

  /// Takes the firmware's events since the last call.
  void hear() {
    const auto& trace = world_.soc().trace();
    for (; heard_ < trace.size(); ++heard_) {
      const std::uint32_t argument = trace[heard_].argument, index = argument & 0xFFFF;
      switch (trace[heard_].number) {
        case TRACE_TASK_QUEUED:
          ASSERT_EQ(live_.count(index), 0U) << "the place is taken";
          live_[index] = pending_;
          break;
        case TRACE_TASK_CHOSEN: on_begun(index); break;
        case TRACE_CACHE_HIT: on_cache(index); break;
        case TRACE_RUN_START:
          // If the event is taken later, a sector may have left the ring.
          if (trace[heard_].tick == world_.soc().now()) on_run();
          break;
        case TRACE_MEDIA_DONE:
          if (live_.count(index) != 0) live_[index].is_done = true;
          break;
        case TRACE_HOST_GRANT: on_grant(index); break;
        case TRACE_TASK_ENDED:
          ASSERT_EQ(live_.count(index), 1U) << "ends once";
          ++gone_;
          live_.erase(index);
          break;
        default: break;
      }
    }
  }

  void on_begun(std::uint32_t index) {
    ASSERT_EQ(live_.count(index), 1U);
    Known& known = live_[index];
    known.begun = true;
    known.disconnect = options_.disconnect;
    check_order(known);
  }
  void on_cache(std::uint32_t index) {
    ASSERT_EQ(live_.count(index), 1U);
    Known& known = live_[index];
    known.from_cache = true;
    if (!known.begun) check_order(known);
    known.begun = true;
  }

  /// SCSI-2 7.8: none passes an ORDERED task, and it passes none. HEAD OF QUEUE may pass. Under
  /// restricted reordering (SPC-2 8.3.6) none passes another that it overlaps.
  void check_order(const Known& task) {
    for (const auto& [index, other] : live_) {
      if (other.number >= task.number || other.is_aborted) continue;
      const bool barrier = other.attribute == TASK_ORDERED || task.attribute == TASK_ORDERED;
      const bool may_pass = task.attribute == TASK_HEAD_OF_QUEUE;
      const bool ended = world_.core().tasks.task[index].state >= TASK_TRANSFERRING;
      EXPECT_TRUE(!barrier || may_pass || ended)
          << task.number << " passes " << other.number << ", one of which is ordered";
      const bool in_order = !apart_ && task.overlaps(other);
      EXPECT_TRUE(!in_order || ended) << task.number << " passes " << other.number << " in its way";
    }
  }

  const Known* served() const {
    const ::task* task = world_core().service.current;
    if (task == nullptr) return nullptr;
    const auto found = live_.find(static_cast<std::uint32_t>(task - world_core().tasks.task));
    return found == live_.end() ? nullptr : &found->second;
  }
  const ::drive& world_core() const { return const_cast<Adversary*>(this)->world_.core(); }
  std::uint32_t room_of(const ::task& task) const {
    return segments_length(&world_core().segments, task.segment);
  }

  /// The first run of a write: its share is in the ring, or as much as fits.
  void on_run() {
    const Known* known = served();
    const ::media& media = world_core().media;
    if (known == nullptr || known->operation != TASK_WRITE || media.blocks_done > 0) return;
    if (media.state != MEDIA_TRANSFERRING) return;  // the run was another task's, which it ended
    const ::task& task = *world_core().service.current;
    const std::uint32_t want = std::min(start_of(known->disconnect, known->blocks), room_of(task));
    EXPECT_GE(world_.soc().level(media.request.ring), want) << "write of " << known->blocks;
    ++writes_checked_;
  }

  /// The first blocks of a read from the media: its share is in the buffer.
  void on_grant(std::uint32_t index) {
    ASSERT_EQ(live_.count(index), 1U);
    Known& known = live_[index];
    if (known.granted) return;
    known.granted = true;
    const ::task* task = &world_core().tasks.task[index];
    if (known.operation != TASK_READ || known.from_cache || known.is_done) return;
    // The cached part of a partial hit leaves at once.
    const ::media& media = world_core().media;
    const std::uint32_t had = media.request.lba - known.lba;
    const bool is_current = world_core().service.current == task;
    if (is_current && had > 0 && had < known.blocks && media.blocks_done == 0) {
      EXPECT_EQ(task->host_blocks_granted, had) << "read of " << known.blocks;
      ++partial_checked_;
      return;
    }
    if (!is_current) return;  // the media have ended it in this very step
    const std::uint32_t ratio = known.disconnect.full_ratio;
    if (ratio == 0x80 || known.blocks > room_of(*task)) return;  // run by run
    EXPECT_GE(media.blocks_done, share_of(ratio, known.blocks))
        << "read of " << known.blocks << " at " << ratio;
    ++reads_checked_;
  }

  /// Checks how far the drive reads ahead, and after which task.
  void check_media() {
    const ::media& media = world_core().media;
    const bool reads_on = media.state != MEDIA_IDLE && media.request.block_count == 0 &&
                          media.aim != MEDIA_BRINGS_HEADS && media.aim != MEDIA_PARKS &&
                          media.request.purpose == MEDIA_FOR_HOST;
    if (reads_on && !read_on_) {
      EXPECT_EQ(options_.caching.ahead_bits & MODE_CONTROLLER_AHEAD_MISSES, 0U)
          << "after misses alone";
    }
    read_on_ = reads_on;
    if (media.state == MEDIA_IDLE || !media.request.one_track) return;
    if (media.request.operation != FORMATTER_READ || media.request.ahead == 0) return;
    // The track of the first block that was not requested, and the one after it at most.
    const std::uint32_t first = media.request.lba + media.request.block_count;
    const std::uint32_t limit = (first / kTrackSectors + 2) * kTrackSectors;
    EXPECT_LE(media.request.lba + media.blocks_done, limit) << "from block " << first;
    if (media.blocks_done > media.request.block_count) ++ahead_checked_;
  }

  void check_ends() const {
    EXPECT_EQ(gone_, arrived_);
    EXPECT_TRUE(live_.empty());
    std::size_t aborted = 0;
    auto& ended = const_cast<Adversary*>(this)->world_.ended();
    for (const auto& end : ended) {
      EXPECT_TRUE(has_faults_ || end.status == STATUS_OK || end.status == STATUS_ABORTED)
          << end.lba;
      aborted += end.status == STATUS_ABORTED;
    }
    // An aborted task ends at once, or with its sector.
    EXPECT_LE(aborted, aborted_);
    EXPECT_GE(ended.size() + aborted_, arrived_);
  }

  std::mt19937 random_;
  bool apart_;  // reads and writes have separate blocks
  bool has_faults_;
  std::uint32_t first_;  // block
  std::uint32_t depth_;
  ServiceWorld::Options options_;
  ServiceWorld world_;
  Known pending_;
  std::map<std::uint32_t, Known> live_;  // by the task's index
  std::size_t heard_ = 0, arrived_ = 0, gone_ = 0, aborted_ = 0;
  std::uint32_t next_ = 0;
  bool read_on_ = false;

 public:
  std::size_t writes_checked_ = 0, reads_checked_ = 0, ahead_checked_ = 0, partial_checked_ = 0;
};

TEST(BufferAdversary, InAnyMode_SharesOrderAndDataHold) {
  std::size_t writes = 0, reads = 0, ahead = 0, partial = 0;
  for (std::uint32_t seed = kSeed; seed < kSeed + kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Adversary adversary(seed);
    adversary.play();
    writes += adversary.writes_checked_;
    reads += adversary.reads_checked_;
    ahead += adversary.ahead_checked_;
    partial += adversary.partial_checked_;
  }
  // The test is meaningful only if each rule had many cases.
  EXPECT_GT(writes, 1000U);
  EXPECT_GT(reads, 1000U);
  EXPECT_GT(ahead, 500U);
  EXPECT_GT(partial, 200U);
}

}  // namespace
}  // namespace headstack
