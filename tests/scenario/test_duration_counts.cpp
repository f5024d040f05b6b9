// SPDX-License-Identifier: Apache-2.0
// Command duration limits in the log (SPC-6: page 19h/21h, and the vendor's 30h). Also a limit that
// expires while disconnected, a cache after an expired write, malformed pages and messages, and the
// commands that have limits.
#include <map>
#include <set>

#include "tests/scenario/duration_bench.hpp"

namespace headstack::scenario {
namespace {

using bus::Phase;
using media::FlawKind;

class DurationCounts : public DurationLimits {
 protected:
  void set_half_us(const std::vector<Limits>& descriptors) {
    Bytes page = limits_page(kT2A, descriptors);
    for (std::size_t i = 0; i < descriptors.size(); ++i) page[8 + 32 * i] = 0x6;
    ASSERT_EQ(run(mode_select_10(page)), "GOOD");
  }
};

struct PolicyCase {
  const char* what;
  std::uint8_t policy;
  const char* outcome;
  const char* done;
};

// Every policy at its limit and just before it. What a policy does is in page 30h; where it ends
// nothing, it is seen nowhere else. Commands are counter 0. Searches for the longest limit at which
// it acts, in units of 500 ns, on a hit, which takes the same time again and again. 2 us below it
// acts, and 2 us above it does not. To the tick it is test_time_limits.cpp that looks.
TEST_F(DurationCounts, EachPolicy_AtItsLimitAndBefore) {
  power_on_fast();
  set_cache(0);
  prepare(0, 16);
  expect_reads_back(0, 16);
  const PolicyCase cases[] = {
      {"complete earliest", kEarliest, "GOOD", "0=1"},
      {"next limit", kNextLimit, "GOOD", "0=1 6=1"},
      {"no limit", kNoLimit, "GOOD", "0=1 7=1"},
      {"unavailable", kUnavailable, "GOOD", "0=1 5=1"},
      {"abort", kAbort, "B/2E/02", "0=1 3=1"},
  };
  for (const PolicyCase& c : cases) {
    SCOPED_TRACE(c.what);
    std::string ended;
    const auto acts = [&](int units) {
      // The next limit is long enough.
      set_half_us({total(static_cast<std::uint16_t>(units), c.policy), total(0xFFFF)});
      clear_counters();
      ended = outcome(execute(limited(read_16(0, 16))));
      EXPECT_EQ(run(request_sense()), "GOOD");
      return c.policy == kEarliest ? passed(kT2A) != "" : what_was_done(kT2A) != "0=1";
    };
    int acted = 1, kept = 0xFFFF;
    while (kept - acted > 1) {
      const int middle = (acted + kept) / 2;
      (acts(middle) ? acted : kept) = middle;
    }
    EXPECT_TRUE(acts(acted - 4));
    EXPECT_EQ(ended, c.outcome);
    EXPECT_EQ(passed(kT2A), "2=1");
    EXPECT_EQ(what_was_done(kT2A), c.done);
    EXPECT_EQ(passed(kT2A, 2), "");
    EXPECT_EQ(passed(kT2B), "");
    EXPECT_FALSE(acts(kept + 4));
    EXPECT_EQ(ended, "GOOD");
    EXPECT_EQ(what_was_done(kT2A), "0=1");
  }
}

TEST_F(DurationCounts, WhereItPassed) {
  drive::Specimen specimen;
  specimen.flaws = {{FlawKind::kCorrectable, 1005, 6}, {FlawKind::kCorrectable, 1105, 6}};
  power_on_with(specimen);
  set_limits(kT2A, {inactive(3000), active(1000), active(40'000), total(40'000, kEarliest)});
  const Ticket first = submit_long_read(1);
  prepare(1500, 4);
  EXPECT_EQ(outcome(await(submit(tagged(limited(read_16(1500, 4), 1), 2)))), "B/2E/01");
  EXPECT_EQ(run(request_sense()), "GOOD");
  await(first);
  EXPECT_EQ(run(limited(read_16(2000, 4), 2)), "B/2E/02");
  EXPECT_EQ(run(limited(read_16(1003, 5), 3)), "B/2E/03");
  EXPECT_EQ(passed(kT2A, 1) + ", " + what_was_done(kT2A, 1), "0=1, 0=1 2=1");
  EXPECT_EQ(passed(kT2A, 2) + ", " + what_was_done(kT2A, 2), "1=1, 0=1 3=1");
  EXPECT_EQ(passed(kT2A, 3) + ", " + what_was_done(kT2A, 3), "1=1, 0=1 4=1");
  EXPECT_EQ(passed(kT2A, 5), "");
  // Late, because its errors were recovered: 6 revolutions of 10 ms.
  execute(limited(read_16(1103, 5), 4));
  EXPECT_EQ(passed(kT2A, 4), "2=1 5=1");
}

TEST_F(DurationCounts, EachHostReadsItsOwn) {
  Setup setup = fast_setup();
  setup.hosts.push_back(host_config(initiator::kFast10Wide, 6));
  power_on_ready(setup);
  prepare(600, 1);
  set_limits(kT2A, {total(100)}, 0);
  set_limits(kT2A, {total(100, kEarliest)}, 1);
  EXPECT_EQ(run(limited(read_16(600, 1)), 0), "B/2E/02");
  EXPECT_EQ(run(limited(read_16(600, 1)), 1), "GOOD");
  EXPECT_EQ(run(limited(read_16(600, 1)), 1), "GOOD");
  EXPECT_EQ(passed(kT2A, 1, 0) + ", " + what_was_done(kT2A, 1, 0), "2=1, 0=1 3=1");
  EXPECT_EQ(passed(kT2A, 1, 1), "2=2");
  EXPECT_EQ(what_was_done(kT2A, 1, 1), "0=2");
}

// ---- disconnected

// A read that waits for the media has left the bus: it comes back for its status.
TEST_F(DurationCounts, PassesWhileARead_IsDisconnected) {
  power_on_fast();
  set_limits(kT2A, {total(1500)});
  prepare(2000, 4);
  const Ticket ticket = submit(tagged(limited(read_16(2000, 4)), 1));
  run_until([&] { return host().waiting_count() == 0; }, kPatience, kMicrosecond);
  run_into(Phase::kBusFree, 100 * kMicrosecond);
  EXPECT_FALSE(is_done(ticket));
  const Completion& done = await(ticket);
  EXPECT_EQ(outcome(done), "B/2E/02");
  EXPECT_FALSE(done.times.disconnected.empty());
  EXPECT_FALSE(done.times.reselected.empty());
  expect_ended_at(done, 1500, kToTell);
  expect_reads_back(2000, 4);
}

// A write waits for the arm, off the bus: none of its blocks is on the media.
TEST_F(DurationCounts, PassesWhileAWrite_IsDisconnected) {
  power_on_fast();
  set_cache(kReadCacheDisabled);
  set_limits(kT2B, {total(1800)});
  const Bytes before = prepare(2000, 4);
  const Completion done = execute(tagged(limited(write_16(2000, blocks().version(2000, 4, 9))), 1));
  EXPECT_EQ(outcome(done), "B/2E/02");
  EXPECT_FALSE(done.times.disconnected.empty());
  expect_ended_at(done, 1800, kToTell);
  run_for(50 * kMillisecond);
  EXPECT_EQ(peek(2000, 4), before);
}

// ---- the cache after an expired write

// Blocks that a read had brought into the cache are on the media, old or new, after a write among
// them that expired. A read returns the content of the media.
TEST_F(DurationCounts, BlocksOfAnExpiredWrite_AreNotCached) {
  power_on_fast();
  set_cache(0);
  unsigned in_the_midst = 0;
  for (const std::uint16_t us :
       std::initializer_list<std::uint16_t>{7100, 10'300, 13'000, 15'000, 17'000, 19'900}) {
    SCOPED_TRACE(us);
    const Bytes before = blocks().write(100, 32);
    ASSERT_EQ(run(write_16(100, before)), "GOOD");
    expect_reads_back(100, 32);
    const Bytes after = blocks().version(100, 32, us);
    set_limits(kT2B, {total(us)});
    const Completion done = execute(tagged(limited(write_16(100, after)), 1));
    EXPECT_EQ(outcome(done).substr(0, 4), done.is_good() ? "GOOD" : "B/2E");
    const Completion read = execute(read_10(100, 32));
    EXPECT_EQ(outcome(read), "GOOD");
    EXPECT_EQ(blocks().first_difference(read.data, peek(100, 32), 100), std::nullopt);
    const std::size_t renewed = expect_old_or_new(100, before, after);
    if (renewed > 0 && renewed < 32) ++in_the_midst;
  }
  EXPECT_GE(in_the_midst, 2U) << "or the limits are not where they should be";
}

// ---- malformed pages and messages

struct BadPage {
  const char* what;
  std::vector<std::pair<std::size_t, std::uint8_t>> bytes;  // of page T2B, changed
  const char* sense;
  const char* pointer;
};

// The field pointer counts from the list's header of 8 bytes on. Nothing of the page is taken over.
TEST_F(DurationCounts, MalformedPages_ArePointedAt_AndChangeNothing) {
  power_on_fast();
  const BadPage cases[] = {
      {"no such subpage", {{1, 0x09}}, "5/26/00", "80 00 09"},
      {"length", {{3, 0xE3}}, "5/26/00", "80 00 0A"},
      {"reserved in front", {{5, 1}}, "5/26/00", "80 00 0D"},
      {"performance versus duration", {{7, 0x10}}, "5/26/00", "80 00 0F"},
      {"unit", {{8, 0x7}}, "5/26/00", "8B 00 10"},
      {"inactive policy", {{14, 0x10}}, "5/26/00", "8F 00 16"},
      {"active policy", {{14, 0x01}}, "5/26/00", "8B 00 16"},
      {"a write that is unavailable", {{22, 0x0D}}, "5/26/00", "8B 00 1E"},
      {"next limit after the last", {{8 + 6 * 32 + 14, 0x01}}, "5/26/00", "8B 00 DE"},
      {"reserved in the last", {{231, 1}}, "5/26/00", "80 00 EF"},
  };
  const Bytes none = execute(reads({0x5A, 0x08, 0x0A, kT2B, 0, 0, 0, 4, 0, 0}, 1024)).data;
  for (const BadPage& bad : cases) {
    Bytes page = limits_page(kT2B, {total(100)});
    page[14] = page[22] = kAbort;
    page[14] = 0xFF;
    for (const auto& [at, value] : bad.bytes) page[at] = value;
    const Completion done = execute(mode_select_10(page));
    EXPECT_EQ(outcome(done), bad.sense) << bad.what;
    EXPECT_EQ(specific(done.sense), bad.pointer) << bad.what;
    EXPECT_EQ(execute(reads({0x5A, 0x08, 0x0A, kT2B, 0, 0, 0, 4, 0, 0}, 1024)).data, none)
        << bad.what;
  }
  Bytes cut = limits_page(kT2B, {total(100)});
  cut.resize(100);
  EXPECT_EQ(run(mode_select_10(cut)), "5/1A/00");
  EXPECT_EQ(run(limited(write_16(600, blocks().write(600, 1)))), "GOOD") << "it has no limit";
}

// Message 81h: invalid ones are rejected (07h), and the command continues without them.
TEST_F(DurationCounts, MalformedMessages_AreRejected) {
  power_on_fast();
  prepare(600, 1);
  const Bytes messages[] = {
      {1, 8, 0x81, 0, 0, 0, 1, 2, 0, 0},   // no such class
      {1, 8, 0x81, 0, 0, 0, 1, 0, 0, 16},  // no such priority
      {1, 7, 0x81, 0, 0, 0, 1, 0, 0},      // between the two forms
      {1, 4, 0x81, 0, 0, 1},               // shorter than the short one
      {1, 9, 0x81, 0, 0, 0, 1, 0, 0, 0, 0},
  };
  for (const Bytes& message : messages) {
    Command command = tagged(read_10(600, 1), 1);
    command.messages = {message};
    expect_data(execute(command), 600, 1);
    expect_reads_back(600, 1);
  }
  // The nearest valid messages.
  const Bytes right[] = {{1, 5, 0x81, 0, 0, 0, 1}, {1, 8, 0x81, 0, 0, 0, 1, 1, 255, 15}};
  for (const Bytes& message : right) {
    Command command = tagged(read_10(600, 1), 1);
    command.messages = {message};
    expect_data(execute(command), 600, 1);
  }
}

// ---- REPORT SUPPORTED OPERATION CODES

// Every operation code by itself: supported are those of the list of all, and no other. Those of
// the list that have a service action are asked for with it.
TEST_F(DurationCounts, EveryOperationCode_IsReportedOrNot) {
  power_on_fast();
  const Completion all = execute(reads({0xA3, 0x0C, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0}, 1024));
  ASSERT_EQ(outcome(all), "GOOD");
  std::map<unsigned, std::pair<unsigned, bool>> listed;  // its service action, and has it one
  for (std::size_t at = 4; at + 8 <= all.data.size(); at += 8) {
    listed[all.data[at]] = {static_cast<unsigned>(big_endian(all.data, at + 2, 2)),
                            (all.data[at + 5] & 1) != 0};
  }
  std::set<unsigned> listed_codes;
  for (const auto& [code, action] : listed) listed_codes.insert(code);
  const std::set<unsigned> codes_of_rows = {
#define COMMAND(name, code, ...) (code),
#define DATA_COMMAND(name, code, ...) (code),
#include "firmware/device/commands.def"
#undef COMMAND
#undef DATA_COMMAND
  };
  ASSERT_EQ(listed_codes, codes_of_rows);
  for (unsigned code = 0; code < 256; ++code) {
    SCOPED_TRACE(code);
    const auto found = listed.find(code);
    const bool has_action = found != listed.end() && found->second.second;
    const auto action = static_cast<std::uint8_t>(has_action ? found->second.first : 0);
    const auto option = static_cast<std::uint8_t>(has_action ? 2 : 1);
    const Completion one = execute(reads(
        {0xA3, 0x0C, option, static_cast<std::uint8_t>(code), 0, action, 0, 0, 1, 0, 0, 0}, 256));
    ASSERT_EQ(outcome(one), "GOOD");
    if (found == listed.end()) {
      EXPECT_EQ(one.data, (Bytes{0, 1, 0, 0}));
      continue;
    }
    EXPECT_EQ(one.data.at(1) & 7, 3);
    EXPECT_EQ(one.data.at(4), code);
    EXPECT_EQ(one.data.size(), 4U + one.data.at(3));
    // RWCDLP and CDLP (SPC-5): T2A and T2B of the two that have limits.
    const int limits = code == 0x88 ? 0x08 : code == 0x8A ? 0x10 : 0;
    EXPECT_EQ(one.data.at(0) & 1, limits != 0);
    EXPECT_EQ(one.data.at(1) & 0x18, limits);
  }
}

}  // namespace
}  // namespace headstack::scenario
