// SPDX-License-Identifier: Apache-2.0
// The subpages of command duration limits (SPC-5: pages 0Ah/03h, 04h, 07h, 08h). It tests their
// layout, who has them, what MODE SELECT accepts, and their effect on READ(16) and WRITE(16).
// Layouts are those that cdl-tools and Linux read.
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

struct Page {
  const char* name;
  uint8_t subpage;
  std::size_t bytes;       // all of the page
  std::size_t descriptor;  // each of the seven, from byte 8 on
};

const Page kPages[] = {
    {"A", 0x03, 36, 4}, {"B", 0x04, 36, 4}, {"T2A", 0x07, 232, 32}, {"T2B", 0x08, 232, 32}};
constexpr uint8_t kT2A = 0x07, kT2B = 0x08;

class ScsiDurationPageTest : public ScsiFixture {
 protected:
  void SetUp() override {
    ScsiFixture::SetUp();
    make_ready();
  }

  static Bytes empty(const Page& page) {
    Bytes bytes(page.bytes);
    bytes[0] = 0x4A;  // SPF, page 0Ah
    bytes[1] = page.subpage;
    bytes[2] = 0;
    bytes[3] = static_cast<uint8_t>(page.bytes - 4);
    return bytes;
  }
  static Bytes empty_of(uint8_t subpage) {
    for (const Page& page : kPages) {
      if (page.subpage == subpage) return empty(page);
    }
    return {};
  }
  struct Limit {
    uint16_t value = 0;
    uint8_t policy = 0;
  };
  // Descriptor `number`, 1 .., of a page T2A or T2B.
  static void put(Bytes& page, unsigned number, uint8_t unit, Limit inactive, Limit active,
                  Limit total) {
    uint8_t* bytes = page.data() + 8 + 32 * (number - 1);
    const auto put16 = [bytes](std::size_t at, uint16_t value) {
      bytes[at] = static_cast<uint8_t>(value >> 8);
      bytes[at + 1] = static_cast<uint8_t>(value);
    };
    bytes[0] = unit;
    put16(2, inactive.value);
    put16(4, active.value);
    bytes[6] = static_cast<uint8_t>(inactive.policy << 4 | active.policy);
    put16(10, total.value);
    bytes[14] = total.policy;
  }
  // Writes descriptor `number` of a page A or B.
  static void put(Bytes& page, unsigned number, uint8_t unit, uint16_t value) {
    uint8_t* bytes = page.data() + 8 + 4 * (number - 1);
    bytes[0] = static_cast<uint8_t>(unit << 5);
    bytes[2] = static_cast<uint8_t>(value >> 8);
    bytes[3] = static_cast<uint8_t>(value);
  }

  // MODE SENSE(10) without descriptors and header; or the sense.
  std::string sense(uint8_t page, uint8_t subpage, mode_page_control control = MODE_CURRENT,
                    uint8_t initiator = kHost) {
    const auto byte = static_cast<uint8_t>(control << 6 | page);
    if (execute({0x5A, 0x08, byte, subpage, 0, 0, 0, 4, 0, 0}, initiator) != COMMAND_DONE) {
      return sense_text();
    }
    const Bytes data = reply();
    EXPECT_EQ((data[0] << 8 | data[1]) + 2, static_cast<int>(data.size()));
    return hex(Bytes(data.begin() + 8, data.end()));
  }
  // MODE SELECT(10). "GOOD" or the sense.
  std::string select(const Bytes& pages, uint8_t initiator = kHost) {
    Bytes list(8);
    list.insert(list.end(), pages.begin(), pages.end());
    const auto high = static_cast<uint8_t>(list.size() >> 8);
    const auto low = static_cast<uint8_t>(list.size());
    EXPECT_EQ(execute({0x55, 0x10, 0, 0, 0, 0, 0, high, low, 0}, initiator), COMMAND_NEEDS_DATA);
    return finish(list) == COMMAND_DONE ? "GOOD" : sense_text();
  }
  // Field pointer of the last sense: byte after the header, and the bit or -1.
  std::pair<int, int> field() const {
    const int bit = (command_.sense.value & 0x80000) != 0
                        ? static_cast<int>(command_.sense.value >> 16 & 7)
                        : -1;
    return {static_cast<int>(command_.sense.value & 0xFFFF) - 8, bit};
  }
  // READ(16) or WRITE(16) of one block, with a descriptor's number. SBC-4: DLD2 is byte 1 bit 0,
  // DLD1 and DLD0 are byte 14 bits 7 and 6.
  static Bytes cdb(bool write, unsigned number) {
    Bytes bytes = {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};
    if (write) bytes[0] = 0x8A;
    bytes[1] = static_cast<uint8_t>(number >> 2);
    bytes[14] = static_cast<uint8_t>((number & 3) << 6);
    return bytes;
  }
  // All pages, and the subpages that initiators share, each after its page: background control
  // (test_scsi_mode.cpp) and streams (test_scsi_stream_page.cpp).
  std::string with_shared_subpages(std::string all) {
    for (const uint8_t code : {0x1C, 0x20}) {
      const std::string page = sense(code, 0), subpage = sense(code, 0x01);
      EXPECT_EQ(subpage.substr(0, 11), code == 0x1C ? "5C 01 00 0C" : "60 01 00 80");
      all.insert(all.find(page) + page.size(), " " + subpage);
    }
    return all;
  }
  const task& queue(bool write, unsigned number, uint8_t initiator = kHost) {
    EXPECT_EQ(execute(cdb(write, number), initiator, TASK_SIMPLE, next_tag_++), COMMAND_TASK);
    return *command_.task;
  }
  // Ticks to the deadline that the scheduler gets, or -1 for best effort.
  int64_t slack(const task& task) const {
    if (!candidate_is_real_time(&task.candidate)) return -1;
    return static_cast<int64_t>(candidate_slack(&task.candidate, task.candidate.arrived_64ticks)) *
           64;
  }

  uint16_t next_tag_ = 100;
};

// ---- MODE SENSE

TEST_F(ScsiDurationPageTest, EveryPageBeginsWithoutLimits) {
  for (const Page& page : kPages) {
    EXPECT_EQ(sense(0x0A, page.subpage), hex(empty(page))) << page.name;
    EXPECT_EQ(sense(0x0A, page.subpage, MODE_DEFAULT), hex(empty(page))) << page.name;
  }
}

TEST_F(ScsiDurationPageTest, ChangeableBits_AreThoseOfADescriptor) {
  for (const Page& page : kPages) {
    Bytes mask = empty(page);
    for (unsigned i = 0; i < 7; ++i) {
      uint8_t* bytes = mask.data() + 8 + i * page.descriptor;
      const bool is_long = page.descriptor == 32;
      bytes[0] = is_long ? 0x0F : 0xE0;
      for (const std::size_t at : {2U, 3U}) bytes[at] = 0xFF;
      if (!is_long) continue;
      for (const std::size_t at : {4U, 5U, 6U, 10U, 11U}) bytes[at] = 0xFF;
      bytes[14] = 0x0F;
    }
    EXPECT_EQ(sense(0x0A, page.subpage, MODE_CHANGEABLE), hex(mask)) << page.name;
  }
}

// SPC-4 6.13.5: saving parameters not supported.
TEST_F(ScsiDurationPageTest, NoneHasSavedValues) {
  config_.keeps_modes = true;  // The other pages have them.
  for (const Page& page : kPages) EXPECT_EQ(sense(0x0A, page.subpage, MODE_SAVED), "5/39/00");
  EXPECT_EQ(sense(0x0A, 0xFF, MODE_SAVED), sense(0x0A, 0, MODE_SAVED));
  EXPECT_EQ(sense(0x3F, 0xFF, MODE_SAVED), with_shared_subpages(sense(0x3F, 0, MODE_SAVED)));
}

// SPC-3 table 99: page and subpage codes.
TEST_F(ScsiDurationPageTest, SubpageCodesSelect) {
  std::string subpages;
  for (const Page& page : kPages) subpages += " " + hex(empty(page));
  const std::string control = sense(0x0A, 0);
  EXPECT_EQ(sense(0x0A, 0xFF), control + subpages);
  EXPECT_EQ(sense(0x08, 0xFF), sense(0x08, 0));
  // All subpages, by page and then subpage.
  std::string all = with_shared_subpages(sense(0x3F, 0));
  all.insert(all.find(control) + control.size(), subpages);
  EXPECT_EQ(sense(0x3F, 0xFF), all);
}

struct Missing {
  uint8_t page, subpage;
  uint32_t byte;  // field pointer into the CDB
};

TEST_F(ScsiDurationPageTest, UnknownPagesAndSubpagesAreInvalidFields) {
  const Missing cases[] = {{0x0A, 0x01, 3}, {0x0A, 0x05, 3}, {0x0A, 0x09, 3}, {0x0A, 0xFE, 3},
                           {0x08, 0x07, 3}, {0x3F, 0x07, 3}, {0x05, 0x00, 2}, {0x05, 0xFF, 2}};
  for (const Missing& c : cases) {
    EXPECT_EQ(sense(c.page, c.subpage), "5/24/00") << int{c.page} << "/" << int{c.subpage};
    EXPECT_EQ(command_.sense.value, c.byte);
  }
}

// MODE SENSE(6) has one byte for the following length. T2A has 4 + 232 bytes, all pages have more.
TEST_F(ScsiDurationPageTest, ShortForm_HasOneSubpageAtMost) {
  ASSERT_EQ(execute({0x1A, 0x08, 0x0A, kT2A, 255, 0}), COMMAND_DONE);
  EXPECT_EQ(reply().size(), 236U);
  EXPECT_EQ(data_[0], 235);
  EXPECT_EQ(execute({0x1A, 0x08, 0x0A, 0xFF, 255, 0}), COMMAND_CHECK);
  EXPECT_EQ(sense_text(), "5/24/00");
  EXPECT_EQ(command_.sense.value, 3U);
  EXPECT_EQ(execute({0x1A, 0x08, 0x3F, 0x00, 255, 0}), COMMAND_DONE);
}

// ---- MODE SELECT

TEST_F(ScsiDurationPageTest, SelectChangesTheInitiatorsOwnPages) {
  Bytes page = empty_of(kT2A);
  put(page, 1, 0x8, {1, 0xF}, {2, 0xE}, {3, 0x2});
  put(page, 7, 0xE, {0xFFFF, 0xD}, {0xFFFF, 0xD}, {0xFFFF, 0xD});
  EXPECT_EQ(select(page), "GOOD");
  EXPECT_EQ(sense(0x0A, kT2A), hex(page));
  EXPECT_EQ(sense(0x0A, kT2A, MODE_DEFAULT), hex(empty_of(kT2A)));
  EXPECT_EQ(sense(0x0A, kT2A, MODE_CURRENT, kOther), hex(empty_of(kT2A)));
  EXPECT_EQ(sense(0x0A, kT2B), hex(empty_of(kT2B)));
  // SCSI-2 7.9, SPC-3 7.6.6: no other initiator's parameters have changed.
  EXPECT_EQ(execute({0, 0, 0, 0, 0, 0}, kOther), COMMAND_DONE);
  EXPECT_EQ(core_.modes_changed, 0U);
}

TEST_F(ScsiDurationPageTest, Select_TakesAllPagesAtOnce_AndOthersGetAUnitAttentionForTheSharedOne) {
  Bytes list = {0x0A, 10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0};
  for (const Page& page : kPages) {
    Bytes bytes = empty(page);
    bytes[8 + 3] = page.subpage;
    list.insert(list.end(), bytes.begin(), bytes.end());
  }
  EXPECT_EQ(select(list), "GOOD");
  for (const Page& page : kPages) {
    Bytes bytes = empty(page);
    bytes[8 + 3] = page.subpage;
    EXPECT_EQ(sense(0x0A, page.subpage), hex(bytes)) << page.name;
  }
  EXPECT_EQ(execute({0, 0, 0, 0, 0, 0}, kOther), COMMAND_CHECK);
  EXPECT_EQ(sense_text(), "6/2A/01");
}

// A reset brings saved values (SPC-3 6.7), and these pages have none.
TEST_F(ScsiDurationPageTest, ResetEndsAllLimits) {
  for (const uint8_t initiator : {kHost, kOther}) {
    Bytes page = empty_of(kT2A);
    put(page, 2, 0x8, {1, 0xF}, {}, {});
    EXPECT_EQ(select(page, initiator), "GOOD");
  }
  bus_.reset();
  make_ready();
  for (const uint8_t initiator : {kHost, kOther}) {
    EXPECT_EQ(sense(0x0A, kT2A, MODE_CURRENT, initiator), hex(empty_of(kT2A)));
  }
}

struct Bad {
  const char* name;
  uint8_t subpage;
  std::vector<std::pair<std::size_t, uint8_t>> bytes;  // changed bytes of the page
  int byte, bit;                                       // of the field pointer
};

constexpr std::size_t d(std::size_t descriptor, std::size_t at) { return 8 + 32 * descriptor + at; }

const Bad kBad[] = {
    {"SubpageOfAnotherPage", kT2A, {{0, 0x48}}, 0, -1},
    {"UnknownSubpage", kT2A, {{1, 0x09}}, 1, -1},
    {"SubpageNone", kT2A, {{1, 0x00}}, 1, -1},
    {"SubpageAll", kT2A, {{1, 0xFF}}, 1, -1},
    {"LengthTooLong", kT2A, {{3, 0xE5}}, 2, -1},
    {"LengthTooShort", kT2A, {{3, 0xE3}}, 2, -1},
    {"LengthHighByte", kT2A, {{2, 1}}, 2, -1},
    {"Reserved4", kT2A, {{4, 1}}, 4, -1},
    {"Reserved6", kT2B, {{6, 1}}, 6, -1},
    {"PerformanceVersusDuration", kT2A, {{7, 0x10}}, 7, -1},
    {"ReservedOfPageA", 0x03, {{7, 1}}, 7, -1},
    {"ReservedBesideTheUnit", kT2A, {{d(0, 0), 0x18}}, 8, -1},
    {"ReservedByteOfTheLast", kT2B, {{d(6, 31), 1}}, 8 + 6 * 32 + 31, -1},
    {"ReservedBesideTheTotalPolicy", kT2A, {{d(1, 14), 0x1F}}, 8 + 32 + 14, -1},
    {"Unit1", kT2A, {{d(0, 0), 0x1}}, 8, 3},
    {"Unit7", kT2A, {{d(3, 0), 0x7}}, 8 + 3 * 32, 3},
    {"UnitF", kT2B, {{d(6, 0), 0xF}}, 8 + 6 * 32, 3},
    {"ShortUnit3", 0x03, {{8, 0x60}}, 8, 7},
    {"ShortUnit7", 0x04, {{8 + 6 * 4, 0xE0}}, 8 + 6 * 4, 7},
    {"ShortUnitReserved", 0x04, {{8, 0x81}}, 8, -1},
    {"ShortReserved", 0x03, {{9, 1}}, 9, -1},
    {"InactiveNextLimit", kT2A, {{d(0, 6), 0x10}}, 14, 7},
    {"InactiveAbortRecovery", kT2A, {{d(0, 6), 0xE0}}, 14, 7},
    {"ActiveNoLimit", kT2A, {{d(0, 6), 0x02}}, 14, 3},
    {"ActiveC", kT2A, {{d(2, 6), 0x0C}}, 14 + 64, 3},
    {"TotalAbortRecovery", kT2A, {{d(0, 14), 0x0E}}, 22, 3},
    {"Total3", kT2B, {{d(0, 14), 0x03}}, 22, 3},
    {"NoDescriptorBehindTheLast", kT2A, {{d(6, 14), 0x01}}, 22 + 6 * 32, 3},
    // The host of a write gets only GOOD.
    {"WriteUnavailable", kT2B, {{d(0, 6), 0xD0}}, 14, 7},
    {"WriteUnavailableInTotal", kT2B, {{d(0, 14), 0x0D}}, 22, 3},
};

class ScsiBadDurationPageTest : public ScsiDurationPageTest,
                                public ::testing::WithParamInterface<Bad> {};
INSTANTIATE_TEST_SUITE_P(Pages, ScsiBadDurationPageTest, ::testing::ValuesIn(kBad),
                         [](const auto& test_info) { return test_info.param.name; });

TEST_P(ScsiBadDurationPageTest, IsRefusedAndChangesNothing) {
  const Bad& c = GetParam();
  Bytes page = empty_of(c.subpage);
  page[8 + 3] = 5;  // a fine limit, which must not be taken over
  for (const auto& [at, value] : c.bytes) page[at] = value;
  EXPECT_EQ(select(page), "5/26/00");
  EXPECT_EQ(command_.sense.detail, SENSE_DETAIL_PARAMETER_FIELD);
  EXPECT_EQ(field(), std::make_pair(c.byte, c.bit));
  EXPECT_EQ(sense(0x0A, c.subpage), hex(empty_of(c.subpage)));
}

// The next legal value beside each refused one is accepted.
TEST_F(ScsiDurationPageTest, EveryUnitAndPolicyOfTheStandardIsTaken) {
  for (const uint8_t unit : {0x0, 0x6, 0x8, 0xA, 0xE}) {
    for (const uint8_t subpage : {kT2A, kT2B}) {
      Bytes page = empty_of(subpage);
      page[d(6, 0)] = unit;
      EXPECT_EQ(select(page), "GOOD") << int{unit};
    }
  }
  for (const uint8_t unit : {0, 4, 5, 6}) {
    Bytes page = empty_of(0x03);
    put(page, 7, unit, 9);
    EXPECT_EQ(select(page), "GOOD") << int{unit};
  }
  const auto takes = [this](uint8_t subpage, std::size_t at, uint8_t value) {
    Bytes page = empty_of(subpage);
    page[at] = value;
    return select(page) == "GOOD";
  };
  for (const uint8_t policy : {0x0, 0xD, 0xF}) EXPECT_TRUE(takes(kT2A, d(0, 6), policy << 4));
  for (const uint8_t policy : {0x0, 0xD, 0xE, 0xF}) EXPECT_TRUE(takes(kT2A, d(0, 6), policy));
  for (const uint8_t policy : {0x0, 0x1, 0x2, 0xD, 0xF}) {
    EXPECT_TRUE(takes(kT2A, d(5, 14), policy));
  }
  for (const uint8_t policy : {0x0, 0xF}) EXPECT_TRUE(takes(kT2B, d(0, 6), policy << 4));
}

// A list that ends inside of a page.
TEST_F(ScsiDurationPageTest, CutPageIsAnErrorOfTheListsLength) {
  const Bytes page = empty_of(kT2A);
  for (const std::size_t length : {1U, 2U, 3U, 4U, 231U}) {
    EXPECT_EQ(select(Bytes(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(length))),
              "5/1A/00")
        << length;
  }
}

// ---- effects on commands

TEST_F(ScsiDurationPageTest, CdbNamesTheDescriptor) {
  Bytes reads = empty_of(kT2A), writes = empty_of(kT2B);
  for (unsigned number = 1; number <= 7; ++number) {
    put(reads, number, 0x8, {static_cast<uint16_t>(10 + number), 0xF}, {}, {});
    put(writes, number, 0x8, {static_cast<uint16_t>(20 + number), 0xF}, {}, {});
  }
  ASSERT_EQ(select(reads), "GOOD");
  ASSERT_EQ(select(writes), "GOOD");
  for (unsigned number = 1; number <= 7; ++number) {
    for (const bool write : {false, true}) {
      SetUp();
      select(reads);
      select(writes);
      core_.now_ticks = 1234567;
      core_.limited.clear();
      queue(write, number);
      ASSERT_EQ(core_.limited.size(), 1U);
      const FakeCore::Limited& limited = core_.limited[0];
      EXPECT_EQ(limited.which, command_.task);
      EXPECT_EQ(limited.limits.number, number);
      EXPECT_EQ(limited.limits.value[DURATION_INACTIVE], (write ? 20 : 10) + number);
      EXPECT_EQ(limited.arrived, 1234567U);
    }
  }
}

TEST_F(ScsiDurationPageTest, WithoutADescriptorOrLimits_NothingIsWatched) {
  Bytes page = empty_of(kT2A);
  put(page, 1, 0x8, {7, 0xF}, {}, {});
  put(page, 2, 0x0, {7, 0xF}, {7, 0xF}, {7, 0xF});  // no unit
  put(page, 3, 0x8, {0, 0xF}, {0, 0xF}, {0, 0xF});  // no limit
  put(page, 4, 0x8, {7, 0x0}, {7, 0x0}, {7, 0x0});  // complete earliest: to be counted
  ASSERT_EQ(select(page), "GOOD");
  for (const unsigned number : {0U, 2U, 3U}) queue(false, number);
  EXPECT_EQ(core_.limited.size(), 0U);
  queue(false, 1, kOther);  // an initiator with another page
  EXPECT_EQ(core_.limited.size(), 0U);
  queue(false, 1);
  EXPECT_EQ(core_.limited.size(), 1U);
  queue(false, 4);
  EXPECT_EQ(core_.limited.size(), 2U);
}

// A command whose limits have no free record is refused like one too many, and leaves nothing.
TEST_F(ScsiDurationPageTest, WithoutRoomForItsLimits_TheCommandIsRefused) {
  Bytes page = empty_of(kT2A);
  put(page, 1, 0x8, {7, 0xF}, {}, {});
  ASSERT_EQ(select(page), "GOOD");
  core_.limits_fit = false;
  EXPECT_EQ(execute(cdb(false, 1)), COMMAND_QUEUE_FULL);
  EXPECT_EQ(execute(cdb(false, 1), kHost, TASK_UNTAGGED), COMMAND_BUSY);
  EXPECT_EQ(tasks_.count, 0U);
  EXPECT_EQ(task_set_live_of(&tasks_, kHost), 0U);
  EXPECT_EQ(execute(cdb(false, 0)), COMMAND_TASK);
}

struct Due {
  const char* name;
  uint8_t unit;
  uint16_t inactive, active, total;
  int64_t ticks;  // rounded down to 64, as candidates count; -1: best effort
};

// The unit's ticks are of 25 ns.
constexpr int64_t kMicrosecond = 40, kSecond = 1000000 * kMicrosecond;
constexpr int64_t kFarthest = 0x3FFFFFFFLL * 64;
const Due kDue[] = {
    {"Total", 0x8, 10, 20, 800, 800 * kMicrosecond},
    {"InactiveAndActive", 0x8, 160, 320, 0, 480 * kMicrosecond},
    {"InactiveAlone", 0x8, 160, 0, 0, 160 * kMicrosecond},
    {"ActiveAlone", 0x8, 0, 320, 0, 320 * kMicrosecond},
    {"HalfMicroseconds", 0x6, 0, 0, 3200, 1600 * kMicrosecond},
    {"TenMilliseconds", 0xA, 0, 0, 16, 160000 * kMicrosecond},
    {"HalfSeconds", 0xE, 0, 0, 16, 8 * kSecond},
    {"FarAway", 0xE, 0, 0, 0xFFFF, kFarthest},
    {"None", 0x8, 0, 0, 0, -1},
};

TEST_F(ScsiDurationPageTest, SchedulerGetsADeadline) {
  for (const Due& c : kDue) {
    for (const uint8_t policy : {0x0, 0xF}) {
      SetUp();
      Bytes page = empty_of(kT2A);
      put(page, 3, c.unit, {c.inactive, policy}, {c.active, policy}, {c.total, policy});
      ASSERT_EQ(select(page), "GOOD");
      EXPECT_EQ(slack(queue(false, 3)), c.ticks < 0 ? -1 : c.ticks / 64 * 64) << c.name;
    }
  }
}

// Where T2A has no unit, page A sets the deadline; for writes, page B.
TEST_F(ScsiDurationPageTest, PagesAAndB_SetOnlyTheDeadline) {
  Bytes a = empty_of(0x03), b = empty_of(0x04), t2a = empty_of(kT2A);
  put(a, 1, 4, 1600);
  put(a, 2, 4, 1600);
  put(b, 1, 5, 16);
  put(b, 2, 6, 16);
  put(t2a, 2, 0x8, {}, {}, {320, 0});
  for (const Bytes& page : {a, b, t2a}) ASSERT_EQ(select(page), "GOOD");
  EXPECT_EQ(slack(queue(false, 1)), 1600 * kMicrosecond);
  EXPECT_EQ(slack(queue(false, 2)), 320 * kMicrosecond);
  EXPECT_EQ(slack(queue(true, 1)), 160000 * kMicrosecond);
  EXPECT_EQ(slack(queue(true, 2)), 8 * kSecond);
  EXPECT_EQ(slack(queue(false, 3)), -1);
  // Commands that get their deadline from pages A and B have no counts.
  EXPECT_EQ(core_.limited.size(), 1U);
}

// Message 81h sets the deadline for the scheduler. The page's limits act nevertheless.
TEST_F(ScsiDurationPageTest, MessageOfTheCommand_PrevailsForTheScheduler) {
  Bytes page = empty_of(kT2A);
  put(page, 1, 0x8, {}, {}, {320, 0xF});
  ASSERT_EQ(select(page), "GOOD");
  connect({0xC0, 0x20, 1, 0x01, 0x05, 0x81, 0, 0, 0x06, 0x40}, cdb(false, 1));
  ASSERT_EQ(core_.arrived.size(), 1U);
  EXPECT_EQ(slack(*core_.arrived[0]), 1600 * kMicrosecond);
  EXPECT_EQ(core_.limited.size(), 1U);
}

}  // namespace
}  // namespace headstack::firmware
