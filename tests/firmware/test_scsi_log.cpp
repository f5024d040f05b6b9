// SPDX-License-Identifier: Apache-2.0
// LOG SENSE and LOG SELECT with subpages (SPC-4 6.7, 6.6, 7.3; also Seagate's SCSI Commands
// Reference Manual). The pages are those of the medium scan, of duration limits and of the
// scheduler. Service times have one, too, as do drives that move their blocks
// (firmware/device/log_page.h).
#include <algorithm>
#include <functional>
#include <iterator>
#include <random>

#include "firmware/device/device.h"
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

class ScsiLogTest : public ScsiFixture {
 protected:
  void SetUp() override {
    ScsiFixture::SetUp();
    make_ready();
    core_.policy.number = 28;
    core_.policy_counter_count = 2;
    core_.scheduler.counters[0] = 0x01020304;
    core_.scheduler.counters[1] = 7;
    core_.service_times.count[3][22] = 9;
    uint32_t* moved = &core_.remap.tally.units;
    for (uint32_t i = 0; i < kRemapCounts; ++i) moved[i] = 0x01020304 * (i + 1);
    for (uint32_t i = 0; i < kRemapBins; ++i) {
      core_.remap.wait_bin[i] = 0xA1000000 + i;
      core_.learn.gap[i] = 0xB2000000 + i;
    }
  }

  static constexpr uint32_t kRemapCounts = 17;
  static constexpr uint32_t kRemapBins = 32;

  // LOG SENSE, of cumulative values by default. Returns the page, or the sense.
  std::string sense(uint8_t page, uint8_t subpage, uint16_t pointer = 0, uint8_t initiator = kHost,
                    uint8_t control = 1) {
    const auto byte = static_cast<uint8_t>(control << 6 | page);
    const Bytes cdb = {0x4D,
                       0,
                       byte,
                       subpage,
                       0,
                       static_cast<uint8_t>(pointer >> 8),
                       static_cast<uint8_t>(pointer),
                       4,
                       0,
                       0};
    if (execute(cdb, initiator) != COMMAND_DONE) return sense_text();
    const Bytes data = reply();
    EXPECT_EQ((data[2] << 8 | data[3]) + 4, static_cast<int>(data.size()));
    return hex(data);
  }
  // LOG SELECT without a list. "GOOD" or the sense.
  std::string select(uint8_t page, uint8_t subpage, bool resets = true, uint8_t control = 1,
                     uint8_t initiator = kHost) {
    const auto byte = static_cast<uint8_t>(control << 6 | page);
    const auto flags = static_cast<uint8_t>(resets ? 2 : 0);
    const Bytes cdb = {0x4C, flags, byte, subpage, 0, 0, 0, 0, 0, 0};
    return execute(cdb, initiator) == COMMAND_DONE ? "GOOD" : sense_text();
  }
  // The values of 4 bytes of a parameter of the last page; empty if it has no such parameter.
  Bytes parameter(uint16_t code) const {
    const Bytes data = reply();
    for (std::size_t at = 4; at + 4 <= data.size(); at += 4U + data[at + 3]) {
      if ((data[at] << 8 | data[at + 1]) != code) continue;
      return Bytes(data.begin() + static_cast<std::ptrdiff_t>(at) + 4,
                   data.begin() + static_cast<std::ptrdiff_t>(at) + 4 + data[at + 3]);
    }
    return {};
  }
  // The counters that are not 0 in a parameter, by number: "0=1 2=3".
  std::string counters(uint8_t page, uint8_t subpage, uint16_t code, uint8_t initiator = kHost) {
    sense(page, subpage, 0, initiator);
    const Bytes values = parameter(code);
    EXPECT_EQ(values.size(), 32U);
    std::string text;
    for (std::size_t i = 0; i + 4 <= values.size(); i += 4) {
      const unsigned value =
          values[i] << 24 | values[i + 1] << 16 | values[i + 2] << 8 | values[i + 3];
      if (value == 0) continue;
      text += (text.empty() ? "" : " ") + std::to_string(i / 4) + "=" + std::to_string(value);
    }
    return text;
  }
  void count(uint8_t initiator, bool writes, unsigned number, duration_tally tally) {
    duration_counts_add(&target_->device.unit.duration_counts[initiator], writes, number, tally);
  }
  std::string attention(uint8_t initiator) {
    return execute({0, 0, 0, 0, 0, 0}, initiator) == COMMAND_DONE ? "GOOD" : sense_text();
  }
};

// ---- the list of pages

TEST_F(ScsiLogTest, PagesAndSubpagesAreListed) {
  EXPECT_EQ(sense(0, 0), "00 00 00 0A 00 02 03 05 15 30 31 32 33 34");
  EXPECT_EQ(sense(0, 0xFF),
            "40 FF 00 1A 00 00 00 FF 02 00 03 00 05 00 15 00 19 21 19 FF 30 00 31 00 32 00 33 00 "
            "34 00");
  EXPECT_EQ(sense(0x19, 0xFF), "59 FF 00 04 19 21 19 FF");
}

// Listed pages can be read, and no others. The field pointer names the subpage if the page has
// others.
TEST_F(ScsiLogTest, ListedPages_Exist_AndNoOthers) {
  sense(0, 0xFF);
  const Bytes list = reply();
  std::set<std::pair<uint8_t, uint8_t>> listed;
  std::set<uint8_t> pages;
  for (std::size_t at = 4; at < list.size(); at += 2) {
    listed.insert({list[at], list[at + 1]});
    pages.insert(list[at]);
  }
  EXPECT_EQ(listed.size(), 13U) << "ten pages, the subpage of 19h, two lists of subpages";
  for (unsigned page = 0; page < 0x40; ++page) {
    for (unsigned subpage = 0; subpage < 0x100; ++subpage) {
      const auto code = static_cast<uint8_t>(page), sub = static_cast<uint8_t>(subpage);
      const std::string answer = sense(code, sub);
      if (listed.count({code, sub}) != 0) {
        EXPECT_EQ(reply()[0], code | (sub != 0 ? 0x40 : 0));
        EXPECT_EQ(reply()[1], sub);
      } else {
        EXPECT_EQ(answer, "5/24/00") << page << "/" << subpage;
        EXPECT_EQ(command_.sense.value, pages.count(code) != 0 ? 3U : 2U);
      }
    }
  }
}

TEST_F(ScsiLogTest, PointerSkipsParameters) {
  const std::string all = sense(0x19, 0x21);
  EXPECT_EQ(sense(0x19, 0x21, 0x11), all);
  EXPECT_EQ(parameter(0x10), Bytes{});
  // After the last of reads comes the first of writes.
  const std::string writes = sense(0x19, 0x21, 0x18);
  EXPECT_EQ(writes, sense(0x19, 0x21, 0x21));
  EXPECT_EQ(reply().size(), 4 + 7 * 36U);
  EXPECT_EQ(sense(0x19, 0x21, 0x27).substr(0, 23), "59 21 00 24 00 27 43 20");
  for (const auto& [page, subpage, past] :
       std::initializer_list<std::tuple<uint8_t, uint8_t, uint16_t>>{{0x19, 0x21, 0x28},
                                                                     {0x03, 0, 7},
                                                                     {0x15, 0, 1},
                                                                     {0x30, 0, 0x28},
                                                                     {0x31, 0, 3},
                                                                     {0x32, 0, 5},
                                                                     {0x33, 0, kRemapCounts},
                                                                     {0x34, 0, 3},
                                                                     {0, 0, 1},
                                                                     {0, 0xFF, 1},
                                                                     {0x19, 0xFF, 1}}) {
    EXPECT_EQ(sense(page, subpage, past), "5/24/00") << int{page};
    EXPECT_EQ(command_.sense.value, 5U);
    EXPECT_NE(sense(page, subpage, static_cast<uint16_t>(past - 1)), "5/24/00") << int{page};
  }
}

// ---- the background medium scan

// SBC-3: parameter 0000h has the minutes since power-on, and the status in byte 9. The number of
// scans follows, then the progress in 65,536ths, and the number of medium scans.
TEST_F(ScsiLogTest, ScanWithoutResults_HasItsStatusAlone) {
  core_.minutes = 0x00012345;
  core_.scan.status = SCAN_ACTIVE;
  core_.scan.completed = 0x0102;
  core_.scan_progress = 0x8000;
  EXPECT_EQ(sense(0x15, 0), "15 00 00 10 00 00 43 0C 00 01 23 45 00 01 01 02 80 00 01 02");
  core_.scan.status = SCAN_WAITS;
  core_.scan_progress = 0;
  EXPECT_EQ(sense(0x15, 0), "15 00 00 10 00 00 43 0C 00 01 23 45 00 08 01 02 00 00 01 02");
}

// SBC-3: minutes; reassign status and sense key, ASC, ASCQ; five bytes of the vendor; 64 bits of
// the block. LOG SELECT with PCR forgets the results.
TEST_F(ScsiLogTest, ScanResults_HaveTheBlockAndItsSense) {
  core_.scan.result_count = 2;
  core_.scan.results[0] = {7, 0x01020304, STATUS_DATA_DAMAGED, SCAN_REASSIGN_REQUIRED};
  core_.scan.results[1] = {8, 5, STATUS_READ_RECOVERED, SCAN_REASSIGNED};
  EXPECT_EQ(sense(0x15, 0, 1),
            "15 00 00 30 "
            "00 01 43 14 00 00 00 07 13 11 00 00 00 00 00 00 00 00 00 00 01 02 03 04 "
            "00 02 43 14 00 00 00 08 61 17 01 00 00 00 00 00 00 00 00 00 00 00 00 05");
  core_.scan.result_count = SCAN_RESULTS_MAX;
  EXPECT_EQ(sense(0x15, 0).size(), 3 * (4 + 16 + 24 * std::size_t{SCAN_RESULTS_MAX}) - 1);
  EXPECT_EQ(select(0x15, 0), "GOOD");
  EXPECT_EQ(core_.scan.result_count, 0);
}

// ---- duration limits

// Layout as sg_logs and opensea-parser read it: 11h-17h of T2A, 21h-27h of T2B, eight counters.
TEST_F(ScsiLogTest, LimitsThatPassed_ByDescriptor) {
  sense(0x19, 0x21);
  EXPECT_EQ(reply().size(), 4 + 14 * 36U);
  for (unsigned code = 0; code < 0x40; ++code) {
    const bool exists = (code & 7) != 0 && (code & ~7U) >= 0x10 && (code & 8) == 0 && code < 0x28;
    EXPECT_EQ(parameter(static_cast<uint16_t>(code)).size(), exists ? 32U : 0U) << code;
  }
  const std::pair<duration_tally, const char*> cases[] = {
      {TALLY_INACTIVE_PASSED, "0=1"},
      {TALLY_ACTIVE_PASSED, "1=1"},
      {TALLY_TOTAL_PASSED, "2=1"},
      {TALLY_TOTAL_PASSED_RECOVERED, "5=1"},
  };
  for (const bool writes : {false, true}) {
    for (unsigned number = 1; number <= 7; ++number) {
      const auto code = static_cast<uint16_t>((writes ? 0x20 : 0x10) + number);
      for (const auto& [tally, text] : cases) {
        count(kHost, writes, number, tally);
        EXPECT_EQ(counters(0x19, 0x21, code), text);
        EXPECT_EQ(counters(0x19, 0x21, writes ? 0x11 : 0x21), "");
        EXPECT_EQ(select(0x19, 0x21), "GOOD");
        EXPECT_EQ(counters(0x19, 0x21, code), "");
      }
    }
  }
}

TEST_F(ScsiLogTest, PassedLimits_AreCountedByDescriptor) {
  const std::pair<duration_tally, const char*> cases[] = {
      {TALLY_COMMANDS, "0=1"},   {TALLY_UNWATCHED, "1=1"},          {TALLY_ABORTED_WAITING, "2=1"},
      {TALLY_ABORTED, "3=1"},    {TALLY_ABORTED_RECOVERING, "4=1"}, {TALLY_UNAVAILABLE, "5=1"},
      {TALLY_NEXT_LIMIT, "6=1"}, {TALLY_NO_LIMIT, "7=1"},
  };
  for (const auto& [tally, text] : cases) {
    count(kHost, true, 7, tally);
    EXPECT_EQ(counters(0x30, 0, 0x27), text);
    EXPECT_EQ(counters(0x19, 0x21, 0x27), "");
    EXPECT_EQ(select(0x30, 0), "GOOD");
    EXPECT_EQ(counters(0x30, 0, 0x27), "");
  }
}

TEST_F(ScsiLogTest, CountersStayAtTheirHighestValue) {
  count(kHost, false, 1, TALLY_ACTIVE_PASSED);
  target_->device.unit.duration_counts[kHost].count[0][0][TALLY_ACTIVE_PASSED] = UINT32_MAX - 1;
  for (unsigned i = 0; i < 3; ++i) count(kHost, false, 1, TALLY_ACTIVE_PASSED);
  EXPECT_EQ(counters(0x19, 0x21, 0x11), "1=4294967295");
}

// Each initiator has limits of its own, and counts of its own commands.
TEST_F(ScsiLogTest, EachInitiatorHasItsOwnCounts_AndAResetEndsThem) {
  count(kHost, false, 2, TALLY_TOTAL_PASSED);
  count(kOther, false, 2, TALLY_INACTIVE_PASSED);
  EXPECT_EQ(counters(0x19, 0x21, 0x12), "2=1");
  EXPECT_EQ(counters(0x19, 0x21, 0x12, kOther), "0=1");
  EXPECT_EQ(select(0x19, 0xFF), "GOOD");
  EXPECT_EQ(counters(0x19, 0x21, 0x12), "");
  EXPECT_EQ(counters(0x19, 0x21, 0x12, kOther), "0=1");
  EXPECT_EQ(attention(kOther), "GOOD") << "its own log parameters are as they were";
  bus_.reset();
  make_ready();
  EXPECT_EQ(counters(0x19, 0x21, 0x12, kOther), "");
}

// A command counts for the descriptor that its CDB names (SBC-4), whether the page has limits.
TEST_F(ScsiLogTest, CommandsAreCounted) {
  const auto queue = [this](bool write, unsigned number) {
    Bytes cdb = {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};
    if (write) cdb[0] = 0x8A;
    cdb[1] = static_cast<uint8_t>(number >> 2);
    cdb[14] = static_cast<uint8_t>((number & 3) << 6);
    static uint16_t tag = 100;
    return execute(cdb, kHost, TASK_SIMPLE, tag++);
  };
  for (const unsigned number : {0U, 3U, 3U, 7U}) EXPECT_EQ(queue(false, number), COMMAND_TASK);
  EXPECT_EQ(queue(true, 4), COMMAND_TASK);
  EXPECT_EQ(counters(0x30, 0, 0x13), "0=2");
  EXPECT_EQ(counters(0x30, 0, 0x17), "0=1");
  EXPECT_EQ(counters(0x30, 0, 0x24), "0=1");
  EXPECT_EQ(counters(0x30, 0, 0x14), "");
  // a refused command does not count: there are 8 tasks
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(queue(false, 1), COMMAND_TASK);
  EXPECT_NE(queue(false, 1), COMMAND_TASK);
  EXPECT_EQ(counters(0x30, 0, 0x11), "0=3");
}

// ---- the scheduler, service times

TEST_F(ScsiLogTest, CountersOfTheScheduler) {
  EXPECT_EQ(sense(0x31, 0),
            "31 00 00 18 00 00 40 04 00 00 00 1C 00 01 40 04 01 02 03 04 00 02 40 04 00 00 00 07");
  EXPECT_EQ(sense(0x31, 0, 2, kHost, 3), "31 00 00 08 00 02 40 04 00 00 00 00");
  EXPECT_EQ(sense(0x31, 0, 2, kHost, 0), "31 00 00 08 00 02 40 04 FF FF FF FF");
  core_.policy_counter_count = 0;
  EXPECT_EQ(sense(0x31, 0), "31 00 00 08 00 00 40 04 00 00 00 1C");
}

TEST_F(ScsiLogTest, ServiceTimes) {
  sense(0x32, 0);
  EXPECT_EQ(reply().size(), 4 + 4 * (4 + 4 * 23U));
  const Bytes last = parameter(4);
  ASSERT_EQ(last.size(), 92U);
  EXPECT_EQ(hex(Bytes(last.end() - 8, last.end())), "00 00 00 00 00 00 00 09");
  // The page is a list, on which page control has no effect.
  EXPECT_EQ(sense(0x32, 0, 0, kHost, 0), sense(0x32, 0, 0, kHost, 1));
}

// ---- a drive that moves its blocks

// Parameter n is counter n: 4 bytes, with the control byte of page 31h.
TEST_F(ScsiLogTest, CountersOfMoves) {
  Bytes page = {0x33, 0, 0, 8 * kRemapCounts};
  Bytes highest = page, zero = page;
  for (uint8_t i = 0; i < kRemapCounts; ++i) {
    for (Bytes* bytes : {&page, &highest, &zero}) bytes->insert(bytes->end(), {0, i, 0x40, 4});
    const auto times = static_cast<uint8_t>(i + 1);
    for (uint8_t byte = 1; byte <= 4; ++byte) {
      page.push_back(static_cast<uint8_t>(byte * times));
      highest.push_back(0xFF);
      zero.push_back(0);
    }
  }
  EXPECT_EQ(sense(0x33, 0), hex(page));
  for (const uint8_t thresholds : {uint8_t{0}, uint8_t{2}}) {
    EXPECT_EQ(sense(0x33, 0, 0, kHost, thresholds), hex(highest));
  }
  EXPECT_EQ(sense(0x33, 0, 0, kHost, 3), hex(zero));
  EXPECT_EQ(sense(0x33, 0, 0, kOther), hex(page)) << "they are the drive's";
  EXPECT_EQ(sense(0x33, 0, kRemapCounts - 1), "33 00 00 08 00 10 40 04 11 22 33 44");
}

// Waits are parameter 1, gaps parameter 2: 32 counters of 4 bytes each, in a list like page 32h.
TEST_F(ScsiLogTest, WaitsForMovesAndGapsOfTheHost) {
  Bytes page = {0x34, 0, (2 * (4 + 4 * kRemapBins)) >> 8, (2 * (4 + 4 * kRemapBins)) & 0xFF};
  for (const uint8_t code : {uint8_t{1}, uint8_t{2}}) {
    const auto first = static_cast<uint8_t>(code == 1 ? 0xA1 : 0xB2);
    page.insert(page.end(), {0, code, 0x43, 4 * kRemapBins});
    for (uint8_t bin = 0; bin < kRemapBins; ++bin) page.insert(page.end(), {first, 0, 0, bin});
  }
  for (uint8_t control = 0; control < 4; ++control) {
    EXPECT_EQ(sense(0x34, 0, 0, kHost, control), hex(page));
  }
  sense(0x34, 0, 2);
  EXPECT_EQ(reply().size(), 4 + 4 + 4 * kRemapBins);
  EXPECT_EQ(parameter(1), Bytes{});
  EXPECT_EQ(parameter(2).at(4 * kRemapBins - 1), kRemapBins - 1);
}

// ---- LOG SELECT

struct Scope {
  uint8_t page, subpage;
  std::string cleared;  // counters cleared, among those of the first row; or the sense
  unsigned pointer;     // field pointer, if there is a sense
};

// SPC-4 tables 204 and 205: page and subpage select the counters that PCR or default cumulative
// values set to 0. Other initiators get a unit attention if theirs are cleared.
TEST_F(ScsiLogTest, Select_ClearsTheNamedCounters) {
  const Scope scopes[] = {
      {0x00, 0x00, "write read limits done scheduler times moves waits gaps", 0},
      {0x02, 0x00, "write", 0},
      {0x03, 0x00, "read", 0},
      {0x03, 0xFF, "read", 0},
      {0x19, 0x21, "limits", 0},
      {0x19, 0xFF, "limits", 0},
      {0x30, 0x00, "done", 0},
      {0x31, 0x00, "scheduler", 0},
      {0x32, 0xFF, "times", 0},
      {0x33, 0x00, "moves", 0},
      {0x34, 0x00, "waits gaps", 0},
      {0x34, 0xFF, "waits gaps", 0},
      {0x33, 0x01, "5/24/00", 3},
      {0x35, 0x00, "5/24/00", 2},
      {0x00, 0xFF, "5/24/00", 3},  // lists: not defined for LOG SELECT
      {0x19, 0x00, "5/24/00", 3},
      {0x03, 0x01, "5/24/00", 3},
      {0x04, 0x00, "5/24/00", 2},
      {0x3F, 0xFF, "5/24/00", 2},
  };
  for (const Scope& scope : scopes) {
    const std::tuple<bool, uint8_t, bool> ways[] = {
        {true, 1, true}, {false, 3, true}, {false, 1, false}, {false, 2, false}};
    for (const auto& [resets, control, acts] : ways) {
      SCOPED_TRACE(testing::Message() << int{scope.page} << "/" << int{scope.subpage} << ", PCR "
                                      << resets << ", PC " << int{control});
      SetUp();
      core_.media.counters[FORMATTER_WRITE].retries = core_.media.counters[FORMATTER_READ].retries =
          1;
      count(kHost, false, 1, TALLY_ACTIVE_PASSED);
      count(kHost, false, 1, TALLY_ABORTED);
      const std::string answer = select(scope.page, scope.subpage, resets, control);
      std::string cleared;
      const auto note = [&](const char* what, bool is_zero) {
        if (is_zero) cleared += std::string(cleared.empty() ? "" : " ") + what;
      };
      const auto& counts = target_->device.unit.duration_counts[kHost];
      if (answer != "GOOD") {
        EXPECT_EQ(command_.sense.value, scope.pointer);
        EXPECT_EQ(answer, scope.cleared);
      }
      note("write", core_.media.counters[FORMATTER_WRITE].retries == 0);
      note("read", core_.media.counters[FORMATTER_READ].retries == 0);
      note("limits", duration_counts_get(&counts, false, 1, TALLY_ACTIVE_PASSED) == 0);
      note("done", duration_counts_get(&counts, false, 1, TALLY_ABORTED) == 0);
      note("scheduler", core_.scheduler.counters[0] == 0);
      note("times", core_.service_times.count[3][22] == 0);
      const auto are_zero = [](const auto& values) {
        return std::all_of(std::begin(values), std::end(values),
                           [](auto value) { return value == 0; });
      };
      const uint32_t* moved = &core_.remap.tally.units;
      note("moves", std::all_of(moved, moved + kRemapCounts, [](uint32_t n) { return n == 0; }));
      note("waits", are_zero(core_.remap.wait_bin));
      note("gaps", are_zero(core_.learn.gap));
      const bool named = scope.pointer == 0;
      EXPECT_EQ(answer == "GOOD", named);
      EXPECT_EQ(cleared, acts && named ? scope.cleared : "");
      const bool is_own = scope.page == 0x19 || scope.page == 0x30;
      EXPECT_EQ(attention(kOther), acts && named && !is_own ? "6/2A/02" : "GOOD");
      EXPECT_EQ(attention(kHost), "GOOD");
    }
  }
}

}  // namespace
}  // namespace headstack::firmware
