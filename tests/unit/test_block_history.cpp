// SPDX-License-Identifier: Apache-2.0
// Which versions a read may bring: by the rules, one by one, and against all orders that the rules
// leave, for short random histories.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "host/replay/block_history.hpp"
#include "tests/support.hpp"

namespace headstack::replay {
namespace {

using traces::Tagging;
using Fate = BlockHistory::Fate;
using Verdict = BlockHistory::Verdict;
using Version = BlockHistory::Version;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// A history of one block, in words. w1 write 1 arrives (w1o ORDERED, w1h HEAD OF QUEUE), g1 it
/// ends with GOOD, a1 otherwise, n1 without effect. r1 read 1 arrives (r1o, r1h), r1=2 it has
/// brought version 2, x1 it is over without data.
class Story {
 public:
  explicit Story(bool restricted = true) : history_(restricted) {}

  /// The verdict on the last read that returned a version.
  Verdict tell(const std::string& words) {
    Verdict verdict = Verdict::kRight;
    std::istringstream in(words);
    for (std::string word; in >> word;) verdict = take(word).value_or(verdict);
    return verdict;
  }
  std::vector<Version> allowed(int read) { return history_.allowed(reads_.at(read), kBlock); }
  BlockHistory& history() { return history_; }

 private:
  static constexpr std::uint64_t kBlock = 77;

  static Tagging tagging(char letter) {
    return letter == 'o'   ? Tagging::kOrdered
           : letter == 'h' ? Tagging::kHeadOfQueue
                           : Tagging::kSimple;
  }

  std::optional<Verdict> take(const std::string& word) {
    std::size_t digits = 0;
    const int name = std::stoi(word.substr(1), &digits);
    const std::string rest = word.substr(1 + digits);
    const char last = rest.empty() ? ' ' : rest[0];
    const auto version = static_cast<Version>(name);
    switch (word[0]) {
      case 'w': history_.write_arrived(version, kBlock, 1, tagging(last)); break;
      case 'g': history_.write_ended(version, Fate::kDone); break;
      case 'a': history_.write_ended(version, Fate::kPerhaps); break;
      case 'n': history_.write_ended(version, Fate::kNoEffect); break;
      case 'x': history_.read_ended(reads_.at(name)); break;
      case 'r':
        if (last != '=') {
          reads_[name] = history_.read_arrived(kBlock, 1, tagging(last));
          break;
        }
        return bring(name, static_cast<Version>(std::stoi(rest.substr(1))));
      default: ADD_FAILURE() << word;
    }
    return std::nullopt;
  }
  Verdict bring(int name, Version version) {
    const Verdict verdict = history_.check(reads_.at(name), {version});
    if (verdict == Verdict::kRight) history_.read_ended(reads_.at(name));
    return verdict;
  }

  BlockHistory history_;
  std::map<int, BlockHistory::Read> reads_;
};

struct Rule {
  const char* what;
  bool restricted;
  const char* words;
  std::vector<Version> allowed;  // of read 9
};

class BlockHistoryRule : public testing::TestWithParam<Rule> {};

TEST_P(BlockHistoryRule, ReadMayBringTheseVersions) {
  Story story(GetParam().restricted);
  (void)story.tell(GetParam().words);
  EXPECT_THAT(story.allowed(9), testing::UnorderedElementsAreArray(GetParam().allowed));
}

const Rule kRules[] = {
    {"NeverWritten", true, "r9", {0}},
    {"Written", true, "w1 g1 r9", {1}},
    {"WrittenTwice", true, "w1 g1 w2 g2 r9", {2}},
    // A write that ended otherwise is there or not.
    {"Aborted", true, "w1 a1 r9", {0, 1}},
    {"AbortedTwice", true, "w1 g1 w2 a2 w3 a3 r9", {1, 2, 3}},
    {"AbortedThenWritten", true, "w1 a1 w2 g2 r9", {2}},
    {"WrittenAroundAnAbortedOne", true, "w1 w2 a1 g2 r9", {2}},
    {"WithoutEffect", true, "w1 g1 w2 n2 r9", {1}},
    // What is out may yet be aborted; what is to come has no part in it.
    {"Out", true, "w1 g1 w2 r9", {1, 2}},
    {"OutInOrder", true, "w1 w2 r9 g1", {1, 2}},
    {"Later", true, "r9 w1", {0}},
    {"LaterAndDone", true, "r9 w1 g1", {0}},
    // a version that was seen is settled
    {"SeenTheNew", true, "w1 a1 r1 r1=1 r9", {1}},
    {"SeenTheOld", true, "w1 a1 r1 r1=0 r9", {0}},
    {"SeenTheOldOfThree", true, "w1 a1 w2 a2 r1 r1=1 r9", {1}},
    {"SeenByAReadBeside", true, "w1 a1 r1 r9 r1=1", {1}},
    {"SeenBesideIsNoOrderOfReads", true, "w1 a1 r9 r1 r1=0", {0}},
    // HEAD OF QUEUE passes what waits, but not what has ended (SAM-2 7.6).
    {"HeadReadPasses", true, "w1 g1 w2 r9h g2", {1, 2}},
    {"HeadReadBehindTheEnd", true, "w1 g1 r9h", {1}},
    {"HeadReadLater", true, "r9h w1 g1", {0}},
    {"HeadWritePassesARead", true, "r9 w1h", {0, 1}},
    {"HeadWritePassesAWrite", true, "w1 w2h g1 g2 r9", {1, 2}},
    {"HeadWriteBehindTheEnd", true, "w1 g1 w2h g2 r9", {2}},
    {"SimpleBehindHead", true, "w1h w2 g2 g1 r9", {2}},
    {"TwoHeads", true, "w1h w2h g1 g2 r9", {1, 2}},
    {"HeadPassesTwo", true, "w1 w2 w3h g1 g2 g3 r9", {2, 3}},
    {"HeadPassesTwo_OneAborted", true, "w1 w2 w3h g1 a2 g3 r9", {1, 2, 3}},
    {"HeadSeen_SettlesWhatWaitedWith", true, "w1 w2h g1 g2 r1 r1=2 r9", {2}},
    {"WaitedSeen_SettlesTheHead", true, "w1 w2h g1 g2 r1 r1=1 r9", {1}},
    {"HeadSeenWhileTheOtherIsOut", true, "w1 w2h r1h g2 r1=2 g1 r9", {1, 2}},
    // Unrestricted reordering: any order of SIMPLE ones that are there at a time.
    {"UnrestrictedReadPasses", false, "w1 r9 g1", {0, 1}},
    {"UnrestrictedWritesPass", false, "w1 w2 g1 g2 r9", {1, 2}},
    {"UnrestrictedReadIsPassed", false, "r9 w1 g1", {0, 1}},
    {"UnrestrictedBehindTheEnd", false, "w1 g1 w2 g2 r9", {2}},
    {"OrderedWaitsForOlder", false, "w1 w2o g1 g2 r9", {2}},
    {"YoungerWaitsForOrdered", false, "w1o w2 g1 g2 r9", {2}},
    {"OrderedReadWaits", false, "w1 r9o g1", {1}},
    {"WriteWaitsForOrderedRead", false, "r9o w1", {0}},
    {"HeadPassesOrdered", false, "w1o w2h g1 g2 r9", {1, 2}},
};

INSTANTIATE_TEST_SUITE_P(Unit, BlockHistoryRule, testing::ValuesIn(kRules), test::case_name<Rule>);

TEST(BlockHistory, WhatHangsOnAWriteStillOut_IsOpen_AndThenNot) {
  for (const bool aborted : {false, true}) {
    Story story;
    EXPECT_EQ(story.tell("w1 g1 w2 r1 r1=1"), Verdict::kOpen) << "w2 goes before, if it goes";
    story.tell(aborted ? "a2" : "g2");
    EXPECT_EQ(story.tell("r1=1"), aborted ? Verdict::kRight : Verdict::kWrong);
  }
  Story story;
  EXPECT_EQ(story.tell("w1 g1 w2 r1 r1=2"), Verdict::kRight) << "seen, whatever becomes of it";
  EXPECT_EQ(story.tell("a2 r2 r2=1"), Verdict::kWrong) << "and it stays";
  EXPECT_EQ(story.tell("r2=2"), Verdict::kRight);
}

TEST(BlockHistory, AReadThatIsOpen_IsNotPassedByWhatComesBehindItsEnd) {
  Story story;
  EXPECT_EQ(story.tell("w1 r1 r1=0"), Verdict::kOpen);
  EXPECT_EQ(story.tell("w2h g2 a1 r1=2"), Verdict::kWrong) << "HEAD OF QUEUE, but too late";
  EXPECT_EQ(story.tell("r1=0"), Verdict::kRight);
}

TEST(BlockHistory, EveryBlockForItself) {
  BlockHistory history(true);
  history.write_arrived(1, 100, 4, Tagging::kSimple);
  history.write_ended(1, Fate::kPerhaps);
  BlockHistory::Read read = history.read_arrived(98, 8, Tagging::kSimple);
  BlockHistory::Read other = read;
  EXPECT_EQ(history.check(other, {0, 0, 1, 0, 1, 0, 1, 0}), Verdict::kWrong) << "104 is not its";
  EXPECT_EQ(history.check(read, {0, 0, 1, 0, 1, 0, 0, 0}), Verdict::kRight);
  history.read_ended(read);
  read = history.read_arrived(100, 4, Tagging::kSimple);
  EXPECT_THAT(history.allowed(read, 100), ElementsAre(1));
  EXPECT_THAT(history.allowed(read, 101), ElementsAre(0));
}

// Memory: what is settled is one number.
TEST(BlockHistory, WhatIsSettled_IsForgotten) {
  BlockHistory history(true);
  std::mt19937 random(5);
  Version version = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t lba = random() % 500;
    const std::uint32_t blocks = 1 + random() % 16;
    const auto tagging = static_cast<Tagging>(random() % 3);
    if (random() % 2 == 0) {
      history.write_arrived(++version, lba, blocks, tagging);
      history.write_ended(version, random() % 4 == 0 ? Fate::kNoEffect : Fate::kDone);
    } else {
      const BlockHistory::Read read = history.read_arrived(lba, blocks, tagging);
      history.read_ended(read);
    }
    ASSERT_EQ(history.unsettled_count(), 0U) << i;
  }
}

// A read that is out keeps what it may bring, and no longer than it is out.
TEST(BlockHistory, AReadThatIsOut_KeepsWhatItMayBring) {
  Story story;
  (void)story.tell("w1 g1 r1 w2 g2 w3 g3");
  EXPECT_THAT(story.allowed(1), ElementsAre(1));
  EXPECT_EQ(story.history().unsettled_count(), 1U);
  (void)story.tell("x1");
  EXPECT_EQ(story.history().unsettled_count(), 0U);
  (void)story.tell("r2");
  EXPECT_THAT(story.allowed(2), ElementsAre(3));
}

// ------------------------------------------------------------- against all orders that there can
// be

/// One command of a random history of one block.
struct Op {
  bool is_write = false;
  Tagging tagging = Tagging::kSimple;
  int arrival = 0;
  int end = 0;  // 0: out
  Fate fate = Fate::kOut;
  Version version = 0;             // of a write
  std::optional<Version> brought;  // version returned by a read that has ended
};

/// What the last of these, a read, may bring, by trying all effects and all orders that agree with
/// what the other reads have brought. The rules are those of block_history.hpp, put down once more.
/// What was not carried out, because it was aborted, say, has no place in an order.
class AllOrders {
 public:
  AllOrders(std::vector<Op> ops, bool restricted) : ops_(std::move(ops)), restricted_(restricted) {
    const std::size_t last = ops_.size() - 1;
    unsigned must = 1U << last;
    unsigned may = must;
    for (std::size_t i = 0; i < last; ++i) {
      const Op& op = ops_[i];
      if (op.is_write ? op.fate == Fate::kDone : op.brought.has_value()) must |= 1U << i;
      if (op.is_write ? op.fate != Fate::kNoEffect : op.brought.has_value()) may |= 1U << i;
    }
    for (unsigned chosen = 0; chosen <= may; ++chosen) {
      if ((chosen & ~may) != 0 || (must & ~chosen) != 0) continue;
      tried_.clear();
      go_on(chosen, 0, 0);
    }
  }
  const std::set<Version>& versions() const { return versions_; }

 private:
  bool before(const Op& a, const Op& b) const {
    if (a.arrival > b.arrival) return false;
    if (a.end != 0 && a.end < b.arrival) return true;
    if (!a.is_write && !b.is_write) return false;  // reads may pass each other
    if (b.tagging == Tagging::kHeadOfQueue) return false;
    return restricted_ || a.tagging != Tagging::kSimple || b.tagging != Tagging::kSimple;
  }
  bool may_go(unsigned left, std::size_t i) const {
    for (std::size_t j = 0; j < ops_.size(); ++j) {
      if (j != i && (left >> j & 1U) != 0 && before(ops_[j], ops_[i])) return false;
    }
    return true;
  }
  /// `left`: those to be carried out yet, a bit each; `now`: what the block holds; `last`: what the
  /// last one has brought.
  void go_on(unsigned left, Version now, Version last) {
    if (!tried_.insert({left, now, last}).second) return;
    if (left == 0) versions_.insert(last);
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if ((left >> i & 1U) == 0 || !may_go(left, i)) continue;
      const Op& op = ops_[i];
      const unsigned rest = left & ~(1U << i);
      if (op.is_write) {
        go_on(rest, op.version, last);
      } else if (!op.brought || *op.brought == now) {
        go_on(rest, now, i + 1 == ops_.size() ? now : last);
      }
    }
  }

  std::vector<Op> ops_;
  bool restricted_;
  std::set<std::tuple<unsigned, Version, Version>> tried_;
  std::set<Version> versions_;
};

/// Commands that come and end at random; reads bring any version that the history lets them.
class RandomHistory {
 public:
  RandomHistory(std::uint32_t seed, bool restricted) : random_(seed), history_(restricted) {
    while (ops_.size() < kOps || random_() % 4 != 0) {
      if (ops_.size() < kOps && random_() % 2 == 0) {
        arrive(random_() % 5 < 3);
      } else {
        end_one();
      }
    }
    arrive(false);
    for (int i = 0; i < 3; ++i) end_one();
  }

  std::vector<Op> ops() const { return ops_; }
  std::set<Version> allowed() const {
    const std::vector<Version> versions = history_.allowed(reads_.at(ops_.size() - 1), kBlock);
    return {versions.begin(), versions.end()};
  }

 private:
  static constexpr std::size_t kOps = 6;
  static constexpr std::uint64_t kBlock = 9;

  void arrive(bool is_write) {
    constexpr Tagging kTaggings[] = {Tagging::kSimple, Tagging::kSimple, Tagging::kOrdered,
                                     Tagging::kHeadOfQueue};
    Op op;
    op.is_write = is_write;
    op.tagging = kTaggings[random_() % 4];
    op.arrival = ++now_;
    if (is_write) {
      op.version = static_cast<Version>(ops_.size()) + 1;
      history_.write_arrived(op.version, kBlock, 1, op.tagging);
    } else {
      reads_[ops_.size()] = history_.read_arrived(kBlock, 1, op.tagging);
    }
    ops_.push_back(op);
  }

  /// Some outstanding command, but not the last, which comes after the others.
  void end_one() {
    const std::size_t i = random_() % std::max<std::size_t>(ops_.size(), 1);
    if (i >= ops_.size() || i >= kOps || ops_[i].end != 0) return;
    Op& op = ops_[i];
    if (op.is_write) {
      constexpr Fate kFates[] = {Fate::kDone, Fate::kDone, Fate::kPerhaps, Fate::kNoEffect};
      op.fate = kFates[random_() % (was_seen(op.version) ? 3 : 4)];
      history_.write_ended(op.version, op.fate);
    } else {
      bring(i);
    }
    op.end = ++now_;
  }

  bool was_seen(Version version) const {
    return std::any_of(ops_.begin(), ops_.end(),
                       [version](const Op& op) { return op.brought == version; });
  }

  void bring(std::size_t i) {
    BlockHistory::Read& read = reads_.at(i);
    const std::vector<Version> may = history_.allowed(read, kBlock);
    const Version version = may[random_() % may.size()];
    if (history_.check(read, {version}) == Verdict::kRight) ops_[i].brought = version;
    history_.read_ended(read);
  }

  std::mt19937 random_;
  BlockHistory history_;
  std::vector<Op> ops_;
  std::map<std::size_t, BlockHistory::Read> reads_;
  int now_ = 0;
};

class BlockHistoryRandom : public testing::TestWithParam<bool> {};

TEST_P(BlockHistoryRandom, AllowsWhatSomeOrderBrings_AndNothingElse) {
  const bool restricted = GetParam();
  std::size_t several = 0;
  for (std::uint32_t seed = 1; seed <= 20'000; ++seed) {
    const RandomHistory history(seed, restricted);
    const AllOrders orders(history.ops(), restricted);
    ASSERT_EQ(history.allowed(), orders.versions()) << "seed " << seed;
    several += orders.versions().size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 5'000U) << "or the histories say nothing";
}

INSTANTIATE_TEST_SUITE_P(Unit, BlockHistoryRandom, testing::Bool(), [](const auto& restricted) {
  return restricted.param ? "Restricted" : "Unrestricted";
});

}  // namespace
}  // namespace headstack::replay
