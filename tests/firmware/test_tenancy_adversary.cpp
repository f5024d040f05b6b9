// SPDX-License-Identifier: Apache-2.0
// Random commands under random limits of page 02h. Two initiators have up to eight commands at
// once, some without the disconnect privilege; some are aborted, and some meet a reset. The media
// fill and empty the buffer at their own pace, and the bus moves blocks at its own.
//
// The rules are SCSI-2 8.3.3.2, and SPC-4 7.5.10 for DImm. They are checked from the phases on the
// bus alone: how much a tenancy moves, how long it is, and how long it moves nothing. Also how long
// the bus is free, and DTDC and DImm. Pointers are saved, every block moves once, and every command
// ends.
#include <map>
#include <optional>
#include <random>
#include <sstream>

#include "firmware/target/tenancy.h"
#include "firmware/unit/mode_page.h"
#include "tests/effort.hpp"
#include "tests/firmware/scsi_fixture.hpp"
#include "tests/firmware/tenancy_page.hpp"

namespace headstack::firmware {
namespace {

using test::TenancyPage;

constexpr time_tick kUnit = 4000;  // 100 us of 25 ns
constexpr std::uint32_t kCommands = 60;

struct Job {
  task* what = nullptr;
  std::uint8_t tag = 0;
  bool writes = false;
  bool may_disconnect = true;
  std::uint32_t blocks = 0;
  std::uint32_t room = 0;   // its segment
  std::uint32_t media = 0;  // blocks that the media have finished
  std::uint32_t moved = 0;  // over the bus
  std::uint32_t granted = 0;
  bool finished = false;
};

class TenancyAdversary : public ScsiBusFixture {
 protected:
  void play(std::uint32_t seed) {
    random_.seed(seed);
    core_ = FakeCore{};
    core_.layer = target_.get();
    *target_ = {};
    bus_ = FakeBus{};
    bus_.layer = target_.get();
    power_on();
    make_ready();
    core_.on_ready = [this](const task* task) { return ready(job_of(task)); };
    core_.on_moved = [this](task* task, uint32_t blocks) { moved(job_of(task), blocks); };
    core_.on_ended = [this](task* task) { jobs_.erase(task); };
    core_.on_arrived = [this](task* task) { arrived(task); };
    bus_.hold_dma = true;
    jobs_.clear();
    free_since_.reset();
    choose_limits();
    std::uint32_t sent = 0;
    std::uint32_t idle = 0;
    while ((sent < kCommands || !jobs_.empty()) && !HasFailure()) {
      act(&sent);
      ASSERT_LT(++idle, 500'000U) << "every command ends";
    }
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  template <typename T, std::size_t n>
  T one_of(const T (&values)[n]) {
    return values[below(n)];
  }

  void choose_limits() {
    page_ = {};
    const bool only_one = below(2) == 0;
    const std::uint32_t which = below(6);
    const auto wanted = [&](std::uint32_t number) {
      return only_one ? which == number : below(2) == 0;
    };
    if (wanted(0)) page_.inactivity = one_of<std::uint16_t>({1, 2, 5});
    if (wanted(1)) page_.disconnect = one_of<std::uint16_t>({1, 3, 10});
    if (wanted(2)) page_.connect = one_of<std::uint16_t>({1, 2, 6, 20});
    if (wanted(3)) page_.burst = one_of<std::uint16_t>({1, 2, 3, 8, 64});
    if (wanted(4)) page_.dimm = true;
    if (wanted(5)) page_.dtdc = one_of<std::uint8_t>({1, 3});
    if (page_.dtdc != 0) page_.burst = 0;
    block_ticks_ = one_of<time_tick>({300, 1000, 2500, 6000});
    media_pace_ = one_of<std::uint32_t>({2, 10, 44});
    select_page();
  }
  void select_page() {
    const Bytes list = page_.list();
    bus_.data_out.assign(list.begin(), list.end());
    connect({0xC0}, {0x15, 0x10, 0, 0, 20, 0});
    target_->device.nexus[kOther].attentions = 0;
    look(last_log_);
    ASSERT_EQ(last_log_[last_log_.size() - 3], "ST 00");
  }

  // ---- the core's part

  Job& job_of(const task* task) { return jobs_.at(task); }
  std::uint32_t ready(const Job& job) const {
    return job.writes ? job.room - (job.moved - job.media) : job.media - job.moved;
  }
  void moved(Job& job, std::uint32_t blocks) {
    job.moved += blocks;
    job.granted -= std::min(blocks, job.granted);
    ASSERT_LE(job.moved, job.blocks);
    const bool by_time = page_.inactivity != 0 || page_.connect != 0;
    if (!by_time || page_.dtdc != 0 || !job.may_disconnect) return;
    ASSERT_LE(job.writes ? job.moved - job.media : job.moved, job.writes ? job.room : job.media)
        << "a data phase waits for nothing";
  }
  void grant_more(Job& job, std::uint32_t total) {
    const std::uint32_t allowed = job.moved + job.granted;
    if (total <= allowed || job.finished) return;
    job.granted += total - allowed;
    host_task_granted(target_.get(), job.what, total - allowed);
  }
  void arrived(task* task) {
    Job job;
    job.what = task;
    job.tag = static_cast<std::uint8_t>(task->tag);
    job.writes = task->operation == TASK_WRITE;
    job.blocks = task->blocks;
    job.room = 1 + below(job.blocks);
    job.may_disconnect = (task->flags & TASK_FLAG_MAY_DISCONNECT) != 0;
    jobs_[task] = job;
    if (job.writes && below(2) == 0) grant_more(jobs_[task], 1 + below(job.blocks));
  }
  /// The media finish the next block of a command.
  void step_media(Job& job) {
    if (job.finished) return;
    if (job.media < job.blocks) {
      const bool can = job.writes ? job.media < job.moved : job.media - job.moved < job.room;
      if (can) ++job.media;
      if (job.writes) grant_more(job, job.blocks);
      if (!job.writes && below(3) == 0) grant_more(job, std::min(job.media + below(4), job.blocks));
      return;
    }
    if (!job.writes) grant_more(job, job.blocks);
    if (job.writes && job.moved < job.blocks) return;
    job.finished = true;
    host_task_finished(target_.get(), job.what, STATUS_OK, 0);
  }

  // ---- the hosts' part

  void submit() {
    std::uint8_t tag = 0;
    const auto uses = [&] {
      for (const auto& [task, job] : jobs_) {
        if (job.tag == tag) return true;
      }
      return false;
    };
    do {
      tag = static_cast<std::uint8_t>(below(256));
    } while (uses());
    const std::uint8_t blocks =
        static_cast<std::uint8_t>(1 + (below(3) == 0 ? below(40) : below(9)));
    const std::uint8_t code = below(2) == 0 ? 0x28 : 0x2A;
    const std::uint8_t lba = static_cast<std::uint8_t>(below(256));  // They need not overlap.
    const std::uint8_t place = static_cast<std::uint8_t>(place_++ % 128);
    const bool privileged = below(8) != 0;
    const std::uint8_t identify = privileged ? 0xC0 : 0x80;
    connect({identify, 0x20, tag}, {code, 0, 0, place, lba, 0, 0, 0, blocks, 0},
            below(3) == 0 ? kOther : kHost);
    look(last_log_);
  }
  bool is_free() const { return target_->connection.state == CONNECTION_FREE && !bus_.connected(); }

  void abort_one() {
    if (jobs_.empty() || !is_free()) return;
    auto job = jobs_.begin();
    std::advance(job, below(static_cast<std::uint32_t>(jobs_.size())));
    const std::uint8_t initiator = static_cast<std::uint8_t>(job->first->initiator);
    connect({0xC0, 0x20, job->second.tag, 0x0D}, {}, initiator);
    look(last_log_);
  }
  void break_in() {
    // Within a data phase ATN waits for its end; within a pause it is an event.
    if (!bus_.connected() || target_->connection.task == nullptr) return;
    const auto state = target_->connection.state;
    if (state != CONNECTION_PAUSING && state != CONNECTION_DATA_DMA &&
        state != CONNECTION_WAITING) {
      return;
    }
    bus_.message_out = {0x0D};
    aborted_ = true;
    if (state != CONNECTION_DATA_DMA) bus_.deliver(SCSI_EVENT_ATTENTION);
    bus_.run();
    look(bus_.take_log());
  }
  void reset() {
    bus_.reset();
    bus_.run();
    look(bus_.take_log());
    make_ready();
    EXPECT_TRUE(jobs_.empty());
    EXPECT_FALSE(target_->limits.any) << "the default page is in force";
    select_page();
    EXPECT_EQ(target_->limits.any, page_is_any());
  }
  bool page_is_any() const {
    return page_.inactivity != 0 || page_.disconnect != 0 || page_.connect != 0 ||
           page_.burst != 0 || page_.dimm || page_.dtdc != 0;
  }

  // ---- time

  void act(std::uint32_t* sent) {
    const std::uint32_t what = below(100);
    if (what < 12 && *sent < kCommands && jobs_.size() < kTaskLimit && is_free()) {
      submit();
      ++*sent;
    } else if (what < 14) {
      if (below(12) == 0) abort_one();
    } else if (what < 15) {
      if (below(6) == 0) break_in();
    } else if (what < 16) {
      if (below(40) == 0) reset();
    } else if (what < 16 + media_pace_ && !jobs_.empty()) {
      auto job = jobs_.begin();
      std::advance(job, below(static_cast<std::uint32_t>(jobs_.size())));
      step_media(job->second);
      bus_.run();
      look(bus_.take_log());
    } else {
      pass(1 + below(below(4) == 0 ? 20'000 : 1000));
    }
  }
  /// Lets time pass, up to the next event.
  void pass(time_tick ticks) {
    const time_tick until = core_.now_ticks + ticks;
    while (core_.now_ticks < until) {
      time_tick next = until;
      if (data_end_ && *data_end_ < next) next = *data_end_;
      if (target_->alarm.due < next) next = std::max(target_->alarm.due, core_.now_ticks);
      core_.now_ticks = next;
      if (data_end_ && *data_end_ <= core_.now_ticks) {
        data_end_.reset();
        last_data_ = core_.now_ticks;
        bus_.finish_dma(0);
      }
      if (alarm_take(&target_->alarm, core_.now_ticks)) target_on_alarm(target_.get());
      bus_.run();
      look(bus_.take_log());
    }
  }

  // ---- the judge

  void begin(bool reselected) {
    const time_tick now = core_.now_ticks;
    if (reselected && free_since_) {
      EXPECT_GE(now - *free_since_, page_.disconnect * kUnit) << "it came back too soon";
    }
    begin_ = last_data_ = now;
    reselected_ = reselected;
    bytes_ = 0;
    which_ = nullptr;
    aborted_ = false;
    status_ = false;
  }
  void data(std::uint32_t bytes) {
    const time_tick now = core_.now_ticks;
    which_ = target_->connection.task;
    ASSERT_NE(which_, nullptr);
    const Job& job = jobs_.at(which_);
    privileged_ = job.may_disconnect;
    if (privileged_) {
      EXPECT_FALSE(page_.dimm && !reselected_) << "no data come with the command";
      if (page_.dtdc == 0) check_quiet(now);
    }
    bytes_ += bytes;
    if (privileged_ && page_.burst != 0) {
      EXPECT_LE(bytes_, page_.burst * 512U) << "more than a burst";
    }
    data_end_ = now + bytes / 512 * block_ticks_;
  }
  void check_quiet(time_tick now) const {
    if (page_.inactivity == 0) return;
    EXPECT_LE(now - last_data_, page_.inactivity * kUnit) << "idle on the bus";
  }
  void free(const std::string& last_message) {
    const time_tick now = core_.now_ticks;
    free_since_ = now;
    data_end_.reset();
    if (which_ == nullptr || aborted_) return;
    const bool left = last_message == "MI 02 04" || last_message == "MI 04";
    if (!left) {
      EXPECT_TRUE(status_) << last_message;
    }
    if (!privileged_) return;
    if (left) {
      const Job& job = jobs_.at(which_);
      EXPECT_NE(page_.dtdc, 3) << "before the status";
      const bool has_begun = job.moved > 0;
      if (page_.dtdc == 1 && has_begun) {
        EXPECT_EQ(job.moved, job.blocks) << "before all data";
      }
      const bool needs_pointers = !job.writes || job.moved < job.blocks;
      EXPECT_EQ(last_message, needs_pointers ? "MI 02 04" : "MI 04");
    }
    if (page_.dtdc != 0) return;
    check_quiet(now);
    // A first block is not predicted, and a status follows without a limit.
    if (page_.connect != 0) {
      EXPECT_LE(now - begin_, page_.connect * kUnit + block_ticks_) << "too long on the bus";
    }
  }
  void look(const Lines& log) {
    std::string last_message;
    for (const std::string& line : log) {
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (word == "SEL" || word == "RESEL") begin(word == "RESEL");
      if (word == "DMA-IN" || word == "DMA-OUT") {
        std::uint32_t bytes = 0;
        words >> bytes;
        data(bytes);
      }
      if (word == "ST") status_ = true;
      if (word == "MI") last_message = line;
      if (word == "RST") {
        data_end_.reset();
        which_ = nullptr;
        free_since_ = core_.now_ticks;
      }
      if (word == "FREE") free(last_message);
    }
  }

  std::mt19937_64 random_;
  TenancyPage page_;
  time_tick block_ticks_ = 0;
  std::uint32_t media_pace_ = 0;  // number of 100 actions that are the media's
  std::map<const task*, Job> jobs_;
  std::uint32_t place_ = 0;
  std::optional<time_tick> data_end_, free_since_;
  time_tick begin_ = 0, last_data_ = 0;
  std::uint32_t bytes_ = 0;
  const task* which_ = nullptr;
  bool reselected_ = false, privileged_ = true, aborted_ = false, status_ = false;
};

TEST_F(TenancyAdversary, NoLimitIsEverPassed) {
  const int seeds = test::rounds(400);
  for (int seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    play(static_cast<std::uint32_t>(seed));
  }
}

}  // namespace
}  // namespace headstack::firmware
