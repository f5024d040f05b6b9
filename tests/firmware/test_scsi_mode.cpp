// SPDX-License-Identifier: Apache-2.0
// Mode parameters: headers and descriptor (SPC-2 8.3, SBC-2 6.3.2), every page's layout, and the
// values that MODE SELECT accepts.
#include <gmock/gmock.h>

#include <random>

#include "tests/firmware/controller_page.hpp"
#include "tests/firmware/scsi_fixture.hpp"
#include "tests/firmware/tenancy_page.hpp"

namespace headstack::firmware {
namespace {

using test::TenancyPage;

class ScsiModeTest : public ScsiFixture {
 protected:
  void SetUp() override {
    ScsiFixture::SetUp();
    make_ready();
  }

  // One page by MODE SENSE(6) without descriptor, without the header. Saved values are those of a
  // drive with a store.
  std::string page(uint8_t code, mode_page_control control = MODE_CURRENT) {
    const bool keeps_modes = config_.keeps_modes;
    config_.keeps_modes = keeps_modes || control == MODE_SAVED;
    EXPECT_EQ(execute({0x1A, 0x08, static_cast<uint8_t>(control << 6 | code), 0, 255, 0}),
              COMMAND_DONE);
    config_.keeps_modes = keeps_modes;
    const Bytes data = reply();
    return hex(Bytes(data.begin() + 4, data.end()));
  }
  // MODE SELECT(6), header and pages given. "GOOD" or the sense.
  std::string select(const Bytes& list) {
    const auto length = static_cast<uint8_t>(list.size());
    EXPECT_EQ(execute({0x15, 0x10, 0, 0, length, 0}), COMMAND_NEEDS_DATA);
    return finish(list) == COMMAND_DONE ? "GOOD" : sense_text();
  }
  static Bytes with_header(const Bytes& pages) {
    Bytes list = {0, 0, 0, 0};
    list.insert(list.end(), pages.begin(), pages.end());
    return list;
  }
  // The scheduler page with a policy and a first parameter.
  static Bytes scheduler(uint8_t policy, uint8_t parameter = 0) {
    return {0x20, 22, policy, 0, 0, 50, 0, 0, 0, 0, 0, parameter,
            0,    0,  0,      0, 0, 0,  0, 0, 0, 0, 0, 0};
  }
};

constexpr uint8_t kControl = 0x0A;
const Bytes kControlUnrestricted = {0x0A, 10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0};

struct Page {
  uint8_t code;
  const char* defaults;    // default values by the clause
  const char* changeable;  // bits that this drive lets change
};

// 1234 = 4D2h cylinders, 5 heads, 99 = 63h sectors, 512 = 200h bytes, 7200 = 1C20h rpm, 50 = 32h
// us.
const Page kPages[] = {
    {0x01, "01 0A 00 08 00 00 00 00 08 00 00 00", "01 0A E7 FF 00 00 00 00 FF 00 00 00"},
    {0x02, "02 0E 80 00 00 00 00 00 00 00 00 00 00 00 00 00",
     "02 0E FF FF FF FF FF FF FF FF FF FF 0F 00 00 00"},
    {0x03, "03 16 00 05 00 00 00 00 00 00 00 63 02 00 00 01 00 00 00 00 40 00 00 00",
     "03 16 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"},
    {0x04, "04 16 00 04 D2 05 00 00 00 00 00 00 00 00 00 00 00 00 00 00 1C 20 00 00",
     "04 16 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"},
    {0x07, "07 0A 00 08 00 00 00 00 00 00 00 00", "07 0A 07 FF 00 00 00 00 00 00 00 00"},
    // RCD; pre-fetch without bounds; three segments of a quarter of 200 = C8h blocks each.
    {0x08, "08 12 01 00 FF FF 00 00 FF FF FF FF 00 03 00 32 00 00 00 00",
     "08 12 05 00 FF FF 00 00 FF FF 00 00 20 FF FF FF 00 00 00 00"},
    {0x0A, "0A 0A 00 00 00 00 00 00 00 00 00 00", "0A 0A 00 F6 00 00 00 00 00 00 00 00"},
    {0x1C, "1C 0A 08 00 00 00 00 00 00 00 00 00", "1C 0A 00 00 00 00 00 00 00 00 00 00"},
    {0x20, "20 16 01 00 00 32 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
     "20 16 FF FF FF FF 00 00 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF"},
    {0x21,
     "21 26 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
     "00 00 00 00 00 00 00 00 00",
     "21 26 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF "
     "FF FF FF 01 00 FF FF 00 00"},
    {0x22, "22 0A 00 00 00 00 00 00 00 00 00 00", "22 0A FF FF FF FF FF FF FF FF 00 00"},
    // Three flags, and every byte after them.
    {0x23, "23 12 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
     "23 12 07 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF"},
};

TEST_F(ScsiModeTest, EveryPageHasItsLayout) {
  for (const Page& c : kPages) {
    EXPECT_EQ(page(c.code, MODE_CURRENT), c.defaults);
    EXPECT_EQ(page(c.code, MODE_DEFAULT), c.defaults);
    EXPECT_EQ(page(c.code, MODE_SAVED), c.defaults);
    EXPECT_EQ(page(c.code, MODE_CHANGEABLE), c.changeable);
  }
}

TEST_F(ScsiModeTest, Page3FReturnsAllPagesInAscendingOrder) {
  std::string all;
  for (const Page& c : kPages) all += (all.empty() ? "" : " ") + std::string(c.defaults);
  EXPECT_EQ(page(0x3F), all);
}

// SBC-3, background control: S_L_FULL, LOWIR and EN_BMS; interval in hours, least idle time and
// longest time to suspend in ms. A subpage comes alone, or behind its page.
TEST_F(ScsiModeTest, BackgroundControlIsASubpageOf1Ch) {
  const Page background = {0x1C, "5C 01 00 0C 00 00 00 18 00 00 01 F4 00 11 00 00",
                           "5C 01 00 0C 07 00 FF FF 00 00 FF FF 00 00 00 00"};
  const auto subpage = [this](uint8_t page, uint8_t number, mode_page_control control) {
    const auto byte = static_cast<uint8_t>(control << 6 | page);
    EXPECT_EQ(execute({0x5A, 0x08, byte, number, 0, 0, 0, 4, 0, 0}), COMMAND_DONE);
    return hex(reply()).substr(3 * 8);
  };
  EXPECT_EQ(subpage(0x1C, 1, MODE_CURRENT), background.defaults);
  EXPECT_EQ(subpage(0x1C, 1, MODE_DEFAULT), background.defaults);
  config_.keeps_modes = true;
  EXPECT_EQ(subpage(0x1C, 1, MODE_SAVED), background.defaults);
  EXPECT_EQ(subpage(0x1C, 1, MODE_CHANGEABLE), background.changeable);
  const std::string both =
      "1C 0A 08 00 00 00 00 00 00 00 00 00 " + std::string(background.defaults);
  EXPECT_EQ(subpage(0x1C, 0xFF, MODE_CURRENT), both);
  EXPECT_THAT(subpage(0x3F, 0xFF, MODE_CURRENT), testing::HasSubstr(both));
  EXPECT_EQ(execute({0x5A, 0x08, 0x1C, 0x02, 0, 0, 0, 4, 0, 0}), COMMAND_CHECK);
  EXPECT_EQ(sense_text(), "5/24/00");
}

TEST_F(ScsiModeTest, BackgroundControlReachesTheScan) {
  const Bytes page = {0x5C, 0x01, 0, 0x0C, 0x05, 0, 0x01, 0x02, 0, 0, 0x03, 0x04, 0, 17, 0, 0};
  EXPECT_EQ(select(with_header(page)), "GOOD");
  EXPECT_EQ(core_.modes_changed, 1U);
  mode_background mode{};
  mode_pages_background(&target_->device.unit.modes, &mode);
  EXPECT_EQ(mode.waits_when_full, 1);
  EXPECT_EQ(mode.only_failures, 0);
  EXPECT_EQ(mode.scans, 1);
  EXPECT_EQ(mode.interval_h, 0x0102);
  EXPECT_EQ(mode.idle_ms, 0x0304);
  EXPECT_EQ(mode.suspend_ms, 17);
  // Errors, each at its byte: no such subpage, another length, the pre-scan, the fixed field.
  const std::pair<std::size_t, uint8_t> errors[] = {{1, 0x02}, {3, 0x0B}, {5, 0x01}, {13, 0x12}};
  for (const auto& [at, value] : errors) {
    Bytes bad = page;
    bad[at] = value;
    EXPECT_EQ(select(with_header(bad)), "5/26/00") << at;
    EXPECT_EQ(command_.sense.value, 4U + (at == 3 ? 2 : at));
  }
}

// Header (6): length without itself, medium type, DPOFUA 10h, descriptor length; then blocks and
// block length.
TEST_F(ScsiModeTest, Sense6HasHeaderAndDescriptor) {
  ASSERT_EQ(execute({0x1A, 0, kControl, 0, 255, 0}), COMMAND_DONE);
  EXPECT_EQ(hex(reply()),
            "17 00 10 08 00 01 86 A0 00 00 02 00 0A 0A 00 00 00 00 00 00 00 00 00 00");
}

TEST_F(ScsiModeTest, Sense10HasALongerHeader) {
  ASSERT_EQ(execute({0x5A, 0, kControl, 0, 0, 0, 0, 1, 0, 0}), COMMAND_DONE);
  EXPECT_EQ(hex(reply()),
            "00 1A 00 10 00 00 00 08 00 01 86 A0 00 00 02 00 0A 0A 00 00 00 00 00 00 00 00 00 00");
  ASSERT_EQ(execute({0x5A, 0x08, kControl, 0, 0, 0, 0, 0, 9, 0}), COMMAND_DONE);
  EXPECT_EQ(hex(reply()), "00 12 00 10 00 00 00 00 0A");  // cut by the allocation length only
}

TEST_F(ScsiModeTest, SelectChangesCurrentValuesOnly) {
  EXPECT_EQ(select(with_header(kControlUnrestricted)), "GOOD");
  EXPECT_EQ(page(kControl), "0A 0A 00 10 00 00 00 00 00 00 00 00");
  EXPECT_EQ(page(kControl, MODE_SAVED), kPages[6].defaults);
  EXPECT_EQ(page(kControl, MODE_DEFAULT), kPages[6].defaults);
  EXPECT_EQ(core_.modes_changed, 1U);
  EXPECT_FALSE(tasks_.restricted);
}

// SCSI-2 8.3.3: PS in MODE SENSE means that a page can be saved. A host that sends the page back
// unchanged has it set.
TEST_F(ScsiModeTest, PsOfAPageThatIsSent_MeansNothing) {
  Bytes two = kControlUnrestricted;
  two[0] |= 0x80;
  const Bytes caching = {0x88, 18,  5, 0, 255, 255, 0, 0, 255, 255,
                         255,  255, 0, 3, 0,   50,  0, 0, 0,   0};
  two.insert(two.end(), caching.begin(), caching.end());
  EXPECT_EQ(select(with_header(two)), "GOOD");
  EXPECT_EQ(page(kControl), "0A 0A 00 10 00 00 00 00 00 00 00 00");
  EXPECT_EQ(page(0x08), "08 12 05 00 FF FF 00 00 FF FF FF FF 00 03 00 32 00 00 00 00");
}

// The same test for pages with subpages: the vendor's of streams, and those of duration limits.
TEST_F(ScsiModeTest, Subpages_AreReturnedWithPs) {
  const std::pair<uint8_t, uint8_t> subpages[] = {{STREAM_PAGE_CODE, STREAM_PAGE_SUBPAGE},
                                                  {DURATION_PAGE_CODE, duration_page_subpage(0)}};
  for (const auto& [code, subpage] : subpages) {
    ASSERT_EQ(execute({0x5A, 0x08, code, subpage, 0, 0, 0, 4, 0, 0}), COMMAND_DONE);
    Bytes list = reply();
    list[0] = list[1] = list[3] = 0;
    list[8] |= 0x80;
    const auto high = static_cast<uint8_t>(list.size() >> 8);
    const auto low = static_cast<uint8_t>(list.size());
    ASSERT_EQ(execute({0x55, 0x10, 0, 0, 0, 0, 0, high, low, 0}), COMMAND_NEEDS_DATA);
    EXPECT_EQ(finish(list), COMMAND_DONE) << sense_text();
  }
}

// SCSI-2 8.2.8: with PF 0 header and block descriptor are the same. In this vendor's format the
// parameters after them are pages.
TEST_F(ScsiModeTest, WithoutPf_ListsAreTheSame) {
  const Bytes descriptor = {0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 2, 0};
  const auto select_without_pf = [this](const Bytes& list) {
    const auto length = static_cast<uint8_t>(list.size());
    const command_result begun = execute({0x15, 0, 0, 0, length, 0});
    if (begun != COMMAND_NEEDS_DATA) return begun;
    return finish(list);
  };
  EXPECT_EQ(select_without_pf({}), COMMAND_DONE);
  EXPECT_EQ(select_without_pf({0, 0, 0, 0}), COMMAND_DONE);
  EXPECT_EQ(select_without_pf(descriptor), COMMAND_DONE);
  EXPECT_EQ(core_.modes_changed, 0U);
  EXPECT_EQ(select_without_pf(with_header(kControlUnrestricted)), COMMAND_DONE);
  EXPECT_EQ(page(kControl), "0A 0A 00 10 00 00 00 00 00 00 00 00");
}

// SCSI-2 7.9: the other initiators get the attention, and only if something changed.
TEST_F(ScsiModeTest, Change_IsAUnitAttentionForOthers) {
  EXPECT_EQ(select(with_header(kControlUnrestricted)), "GOOD");
  EXPECT_EQ(execute({0, 0, 0, 0, 0, 0}, kHost), COMMAND_DONE);
  EXPECT_EQ(execute({0, 0, 0, 0, 0, 0}, kOther), COMMAND_CHECK);
  EXPECT_EQ(sense_text(), "6/2A/01");
  EXPECT_EQ(select(with_header(kControlUnrestricted)), "GOOD");  // the same page again
  EXPECT_EQ(execute({0, 0, 0, 0, 0, 0}, kOther), COMMAND_DONE);
  EXPECT_EQ(core_.modes_changed, 1U);
}

TEST_F(ScsiModeTest, SchedulerPageReachesTheCore) {
  Bytes list = scheduler(2, 7);
  list[3] = 0x81;
  list[4] = 1;
  list[23] = 9;
  EXPECT_EQ(select(with_header(list)), "GOOD");
  struct {
    struct mode_scheduler values;
    std::uint32_t behind;
  } decoded = {{}, 0xEEEEEEEE};
  mode_pages_scheduler(&target_->device.unit.modes, &decoded.values);
  EXPECT_EQ(decoded.behind, 0xEEEEEEEE);
  const struct mode_scheduler& values = decoded.values;
  EXPECT_EQ(values.policy, 2);
  EXPECT_EQ(values.flags, 0x81);
  EXPECT_EQ(values.margin_us, 0x132);
  EXPECT_EQ(values.parameter[0], 7U);
  EXPECT_EQ(values.parameter[3], 9U);
}

// The core returns the wrong byte of the page; the header is 4 bytes.
TEST_F(ScsiModeTest, ByteThatTheCoreRefusesIsPointedAt) {
  for (const uint32_t byte : {2U, 3U, 8U, 20U}) {
    core_.scheduler_fault = byte;
    EXPECT_EQ(select(with_header(scheduler(1, 7))), "5/26/00");
    EXPECT_EQ(command_.sense.detail, SENSE_DETAIL_PARAMETER_FIELD);
    EXPECT_EQ(command_.sense.value, 4 + byte);
  }
  core_.scheduler_fault = 0;
  EXPECT_EQ(select(with_header(scheduler(1, 7))), "GOOD");
}

// SBC-2 6.3.3: byte 2 has WCE and RCD, byte 12 DRA, bytes 13 to 15 the segments. Reads of up to
// bytes 4-5 blocks are followed by read-ahead of up to bytes 8-9.
TEST_F(ScsiModeTest, CachingPage_HasTheValuesOfItsBytes) {
  Bytes page = {0x08, 18,   0,    0, 0x12, 0x34, 0, 0, 0x05, 0x06,
                0xFF, 0xFF, 0x00, 2, 0,    0x30, 0, 0, 0,    0};
  mode_caching caching{};
  for (const bool is_on : {false, true}) {
    page[2] = is_on ? 0x04 : 0x01;
    page[12] = is_on ? 0x00 : 0x20;
    EXPECT_EQ(select(with_header(page)), "GOOD");
    mode_pages_caching(&target_->device.unit.modes, &caching);
    EXPECT_EQ(caching.reads, is_on);
    EXPECT_EQ(caching.writes, is_on);
    EXPECT_EQ(caching.segments, 2U);
    EXPECT_EQ(caching.segment_blocks, 0x30U);
    EXPECT_EQ(caching.ahead_blocks, is_on ? 0x0506U : 0U);
    EXPECT_EQ(caching.ahead_task_blocks, 0x1234U);
    EXPECT_FALSE(caching.reads_free);
  }
  Bytes controller(MODE_CONTROLLER_BYTES);
  controller[0] = 0x21;
  controller[1] = MODE_CONTROLLER_BYTES - 2;
  controller[MODE_CONTROLLER_AT_AHEAD] =
      MODE_CONTROLLER_AHEAD_ONE_TRACK | MODE_CONTROLLER_AHEAD_OVER;
  controller[MODE_CONTROLLER_AT_MORE] = MODE_CONTROLLER_READS_FREE;
  EXPECT_EQ(select(with_header(controller)), "GOOD");
  mode_pages_caching(&target_->device.unit.modes, &caching);
  EXPECT_EQ(caching.ahead_bits, MODE_CONTROLLER_AHEAD_ONE_TRACK | MODE_CONTROLLER_AHEAD_OVER);
  EXPECT_TRUE(caching.reads_free);
}

TEST_F(ScsiModeTest, FarWriteTimeAlone_CountsAsControllerTime) {
  Bytes page(MODE_CONTROLLER_BYTES);
  page[0] = 0x21;
  page[1] = MODE_CONTROLLER_BYTES - 2;
  mode_controller controller{};
  for (const std::uint8_t time : {0, 1}) {
    page[MODE_CONTROLLER_AT_STAGES + 2 * MODE_STAGE_FAR_WRITE + 1] = time;
    EXPECT_EQ(select(with_header(page)), "GOOD");
    mode_pages_controller(&target_->device.unit.modes, &controller);
    EXPECT_EQ(controller.far_write_ticks, time * 4U) << "100 ns";
    EXPECT_EQ(controller.takes_time, time != 0);
  }
}

// mode_page.h: saved values that arrive from the store after a MODE SELECT leave the current ones
// unchanged.
TEST_F(ScsiModeTest, ValuesOfTheStore_AreCurrentUnlessOthersWereSelected) {
  Bytes packed(MODE_PAGES_SAVED_BYTES);
  const std::string as_made = page(kControl);
  EXPECT_EQ(select(with_header(kControlUnrestricted)), "GOOD");
  const std::string stored = page(kControl);
  mode_pages_pack(&target_->device.unit.modes, packed.data());
  Bytes second = kControlUnrestricted;
  second[3] = 0x06;
  EXPECT_EQ(select(with_header(second)), "GOOD");
  const std::string selected = page(kControl);
  EXPECT_FALSE(mode_pages_load(&target_->device.unit.modes, packed.data(), MODE_PAGES_SAVED_BYTES));
  EXPECT_EQ(page(kControl), selected);
  EXPECT_EQ(page(kControl, MODE_SAVED), stored);
  mode_pages_init(&target_->device.unit.modes, &config_);
  EXPECT_FALSE(
      mode_pages_load(&target_->device.unit.modes, packed.data(), MODE_PAGES_SAVED_BYTES - 1));
  EXPECT_EQ(page(kControl), as_made);
  EXPECT_TRUE(mode_pages_load(&target_->device.unit.modes, packed.data(), MODE_PAGES_SAVED_BYTES));
  EXPECT_EQ(page(kControl), stored);
}

// SCSI-2 7.3: with QUEUE FULL the command was not put into the queue, so none of it is done.
TEST_F(ScsiModeTest, ThatFindsNoRoomToSaveThePages_ChangesNone) {
  const std::string before = page(kControl);
  tasks_.limit = 0;
  config_.keeps_modes = true;
  for (const bool saves : {true, false}) {
    const auto length = static_cast<uint8_t>(4 + kControlUnrestricted.size());
    const auto byte_1 = static_cast<uint8_t>(saves ? 0x11 : 0x10);
    EXPECT_EQ(execute({0x15, byte_1, 0, 0, length, 0}, kHost, TASK_SIMPLE), COMMAND_NEEDS_DATA);
    EXPECT_EQ(finish(with_header(kControlUnrestricted)), saves ? COMMAND_QUEUE_FULL : COMMAND_DONE);
    EXPECT_EQ(page(kControl) == before, saves);
    EXPECT_EQ(core_.modes_changed, saves ? 0U : 1U);
  }
}

TEST_F(ScsiModeTest, RetryCounts_AreReadByTheCore) {
  EXPECT_EQ(select(with_header(
                {0x01, 10, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0x07, 10, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0})),
            "GOOD");
  EXPECT_EQ(mode_read_retry_count(&target_->device.unit.modes), 3);
  EXPECT_EQ(mode_write_retry_count(&target_->device.unit.modes), 4);
  EXPECT_EQ(mode_verify_retry_count(&target_->device.unit.modes), 5);
}

struct Bad {
  const char* name;
  Bytes list;
  const char* sense;
  int field;  // field pointer, -1 for none
};

// Header is 4 bytes, so a page's byte n is byte 4 + n of the list.
const Bad kBadLists[] = {
    {"HeaderCut", {0, 0, 0}, "5/1A/00", -1},
    {"MediumType", {0, 1, 0, 0}, "5/26/00", 1},
    {"DescriptorLengthNotEight", {0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 2, 0}, "5/26/00", 3},
    {"DescriptorCut", {0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 2}, "5/1A/00", -1},
    {"BlockLength", {0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 4, 0}, "5/26/00", 9},
    {"BlockCount", {0, 0, 0, 8, 0, 1, 0x86, 0x9F, 0, 0, 2, 0}, "5/26/00", 4},
    {"UnknownPage", {0, 0, 0, 0, 0x05, 2, 0, 0}, "5/26/00", 4},
    {"UnknownPageWithPs", {0, 0, 0, 0, 0x85, 2, 0, 0}, "5/26/00", 4},
    {"UnchangeableByteWithPs", {0, 0, 0, 0, 0x8A, 10, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 6},
    {"PageLength", {0, 0, 0, 0, 0x0A, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 5},
    {"PageHeaderCut", {0, 0, 0, 0, 0x0A}, "5/1A/00", -1},
    {"PageCut", {0, 0, 0, 0, 0x0A, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "5/1A/00", -1},
    {"UnchangeableByte", {0, 0, 0, 0, 0x0A, 10, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 6},
    {"InitiatorControlOfTheCache",
     {0, 0, 0, 0, 0x08, 18, 0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     "5/26/00",
     6},
    {"AlgorithmModifier2", {0, 0, 0, 0, 0x0A, 10, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 7},
    {"QueueErrorReserved", {0, 0, 0, 0, 0x0A, 10, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 7},
    {"UnknownPolicy",
     {0, 0, 0, 0, 0x20, 22, 3, 0, 0, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     "5/26/00",
     6},
    // Page 22h: thresholds 0 .. 3; frames with 1 and 3 alone; rate and scale with 2 alone.
    // Page 02h: reserved values of DTDC, and DTDC beside a burst size (SCSI-2 8.3.3.2). EMDP, fair
    // arbitration and first burst size (SPC-2 8.3.7) are not this drive's.
    {"Dtdc2", {0, 0, 0, 0, 2, 14, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}, "5/26/00", 16},
    {"Dtdc4", {0, 0, 0, 0, 2, 14, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0}, "5/26/00", 16},
    {"Dtdc7", {0, 0, 0, 0, 2, 14, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0}, "5/26/00", 16},
    {"Dtdc1Burst", {0, 0, 0, 0, 2, 14, 128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0}, "5/26/00", 16},
    {"Dtdc3Burst", {0, 0, 0, 0, 2, 14, 128, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0}, "5/26/00", 16},
    {"Emdp", {0, 0, 0, 0, 2, 14, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0}, "5/26/00", 16},
    {"Fairness", {0, 0, 0, 0, 2, 14, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0}, "5/26/00", 16},
    {"FirstBurst", {0, 0, 0, 0, 2, 14, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, "5/26/00", 19},
    {"WriteThreshold4", {0, 0, 0, 0, 0x22, 10, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 6},
    {"SpaceWithoutFrames", {0, 0, 0, 0, 0x22, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 7},
    {"FreeWithoutFrames", {0, 0, 0, 0, 0x22, 10, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 7},
    {"TimeWithFrames", {0, 0, 0, 0, 0x22, 10, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 7},
    {"NoThresholdWithFrames", {0, 0, 0, 0, 0x22, 10, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 7},
    {"SpaceWithRate", {0, 0, 0, 0, 0x22, 10, 1, 1, 0, 0, 0x27, 0x10, 0, 0, 0, 0}, "5/26/00", 8},
    {"FreeWithScale", {0, 0, 0, 0, 0x22, 10, 3, 1, 0, 0, 0, 0, 1, 0xF4, 0, 0}, "5/26/00", 12},
    {"WriteBufferReservedByte",
     {0, 0, 0, 0, 0x22, 10, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0},
     "5/26/00",
     14},
    {"WriteBufferLastByte", {0, 0, 0, 0, 0x22, 10, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1}, "5/26/00", 15},
    {"WriteBufferLength", {0, 0, 0, 0, 0x22, 9, 1, 1, 0, 0, 0, 0, 0, 0, 0}, "5/26/00", 5},
    {"WriteBufferCut", {0, 0, 0, 0, 0x22, 10, 1, 1, 0, 0, 0, 0, 0, 0, 0}, "5/1A/00", -1},
    // Page 23h: flags 07h; maps 0 .. 2, and no units where there is no room for a map (the core's
    // answers).
    // struct mode_caching: no blocks in a segment only where the buffer has room for none.
    {"CachingSegmentsWithoutBlocks",
     {0, 0, 0, 0, 0x08, 18, 1, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 3, 0, 0, 0, 0, 0, 0},
     "5/26/00",
     18},
    {"RemapFlag08",
     {0, 0, 0, 0, 0x23, 18, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     "5/26/00",
     6},
    {"RemapFlag80",
     {0, 0, 0, 0, 0x23, 18, 0x87, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     "5/26/00",
     6},
    {"RemapMap3",
     {0, 0, 0, 0, 0x23, 18, 3, 3, 64, 0, 1, 0xF4, 0, 0, 0, 0, 0, 0, 0, 160, 0, 0, 0, 0},
     "5/26/00",
     7},
    {"RemapUnitWithoutRoom",
     {0, 0, 0, 0, 0x23, 18, 3, 0, 64, 0, 1, 0xF4, 0, 0, 0, 0, 0, 16, 0, 160, 0, 0, 0, 0},
     "5/26/00",
     16},
    {"RemapLength",
     {0, 0, 0, 0, 0x23, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     "5/26/00",
     5},
    {"RemapCut",
     {0, 0, 0, 0, 0x23, 18, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     "5/1A/00",
     -1},
    {"RemapMap3BehindAGoodPage",
     {0, 0, 0, 0, 0x0A, 10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0x23, 18,
      0, 3, 0, 0, 0,    0,  0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0,    0},
     "5/26/00",
     19},
    {"SecondPageBad",
     {0, 0, 0, 0, 0x0A, 10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0x05, 0},
     "5/26/00",
     16},
};

class ScsiBadListTest : public ScsiModeTest, public ::testing::WithParamInterface<Bad> {};
INSTANTIATE_TEST_SUITE_P(Lists, ScsiBadListTest, ::testing::ValuesIn(kBadLists),
                         [](const auto& test_info) { return test_info.param.name; });

TEST_P(ScsiBadListTest, IsRefusedWholeAndChangesNothing) {
  const Bad& c = GetParam();
  EXPECT_EQ(select(c.list), c.sense);
  EXPECT_EQ(command_.sense.detail, c.field < 0 ? SENSE_DETAIL_NONE : SENSE_DETAIL_PARAMETER_FIELD);
  if (c.field >= 0) {
    EXPECT_EQ(command_.sense.value, static_cast<uint32_t>(c.field));
  }
  for (const Page& page_case : kPages) {
    EXPECT_EQ(page(page_case.code), page_case.defaults);
    EXPECT_EQ(page(page_case.code, MODE_SAVED), page_case.defaults);
  }
  EXPECT_EQ(core_.modes_changed, 0U);
  EXPECT_EQ(target_->device.nexus[kOther].attentions, 0);
}

// Limits of page 22h (firmware/queue/write_buffer.h): 16 frames; 0.01 .. 10,000 writes a second,
// which is 10 .. 10,000,000 in 1,000 s; 10,000 thousandths. 1/37/00: SCSI-2 7.5.4.
struct Rounded {
  const char* name;
  Bytes sent;
  const char* sense;
  const char* held;
};
const Rounded kRounded[] = {
    {"SixteenFrames", {1, 16, 0, 0, 0, 0, 0, 0}, "GOOD", "01 10 00 00 00 00 00 00"},
    {"SeventeenFrames", {1, 17, 0, 0, 0, 0, 0, 0}, "1/37/00", "01 10 00 00 00 00 00 00"},
    {"Measured", {2, 0, 0, 0, 0, 0, 0, 0}, "GOOD", "02 00 00 00 00 00 00 00"},
    {"SlowestRate", {2, 0, 0, 0, 0, 10, 0, 0}, "GOOD", "02 00 00 00 00 0A 00 00"},
    {"SlowerRate", {2, 0, 0, 0, 0, 9, 0, 0}, "1/37/00", "02 00 00 00 00 0A 00 00"},
    {"FastestRate", {2, 0, 0, 0x98, 0x96, 0x80, 0, 0}, "GOOD", "02 00 00 98 96 80 00 00"},
    {"FasterRate", {2, 0, 0, 0x98, 0x96, 0x81, 0, 0}, "1/37/00", "02 00 00 98 96 80 00 00"},
    {"LargestScale", {2, 0, 0, 0, 0, 0, 0x27, 0x10}, "GOOD", "02 00 00 00 00 00 27 10"},
    {"LargerScale", {2, 0, 0, 0, 0, 0, 0x27, 0x11}, "1/37/00", "02 00 00 00 00 00 27 10"},
    {"SmallestScale", {2, 0, 0, 0, 0, 0, 0, 1}, "GOOD", "02 00 00 00 00 00 00 01"},
};

TEST_F(ScsiModeTest, WriteBufferBeyondItsLimits_IsRoundedAndReported) {
  for (const Rounded& c : kRounded) {
    SCOPED_TRACE(c.name);
    Bytes list = {0, 0, 0, 0, 0x22, 10};
    list.insert(list.end(), c.sent.begin(), c.sent.end());
    list.insert(list.end(), {0, 0});
    EXPECT_EQ(select(list), c.sense);
    EXPECT_EQ(page(0x22), std::string("22 0A ") + c.held + " 00 00");
  }
}

// ---- page 23h: the drive keeps it with its map, so it is saved without SP, and no other page is

class ScsiRemapPageTest : public ScsiModeTest {
 protected:
  static constexpr uint8_t kRemap = 0x23;
  static constexpr unsigned kBytes = 20;

  void SetUp() override {
    ScsiModeTest::SetUp();
    core_.buffers[BUFFER_LOCATIONS] = Bytes(16);  // There is room for a map.
  }
  // Values that all differ. Flags 3, map 1, share 64, map 2 by method 5, idle after 500 ms. First
  // block 0A0B0C0Dh, units of 16, groups of 160, 600,000 trials, 3,120 units that may move.
  static Bytes values() {
    return {kRemap, 18,   3, 1,  64, 0x52, 0x01, 0xF4, 0x0A, 0x0B,
            0x0C,   0x0D, 0, 16, 0,  160,  0x02, 0x58, 0x0C, 0x30};
  }
  // A random page that the drive accepts.
  static Bytes drawn(std::mt19937& random) {
    Bytes bytes = {kRemap, kBytes - 2};
    while (bytes.size() < kBytes) bytes.push_back(static_cast<uint8_t>(random()));
    bytes[2] = static_cast<uint8_t>(bytes[2] & 7);
    bytes[3] = static_cast<uint8_t>(bytes[3] % 3);
    bytes[5] = static_cast<uint8_t>((bytes[5] & 0x70) | bytes[5] % 3);
    return bytes;
  }
};

TEST_F(ScsiRemapPageTest, IsSavedWithoutSP_AndOtherPagesAreNot) {
  Bytes list = with_header(kControlUnrestricted);
  const Bytes sent = values();
  list.insert(list.end(), sent.begin(), sent.end());
  EXPECT_EQ(select(list), "GOOD");
  EXPECT_EQ(page(kRemap), hex(sent));
  EXPECT_EQ(page(kRemap, MODE_SAVED), hex(sent));
  EXPECT_EQ(page(kRemap, MODE_DEFAULT), kPages[11].defaults);
  EXPECT_EQ(page(kControl, MODE_SAVED), kPages[6].defaults);
  EXPECT_EQ(core_.modes_changed, 1U);
  EXPECT_EQ(execute({0, 0, 0, 0, 0, 0}, kOther), COMMAND_CHECK);
  EXPECT_EQ(sense_text(), "6/2A/01");
  // Current values become the saved ones with a reset (SCSI-2 9.3.3): the page stays.
  bus_.reset();
  make_ready();
  EXPECT_EQ(page(kRemap), hex(sent));
  EXPECT_EQ(page(kControl), kPages[6].defaults);
}

TEST_F(ScsiRemapPageTest, EachField_HasTheValueOfItsBytes) {
  mode_remap mode{};
  EXPECT_FALSE(target_->device.unit.modes.selected_remap) << "no MODE SELECT had the page";
  EXPECT_EQ(select(with_header(kControlUnrestricted)), "GOOD");
  EXPECT_FALSE(target_->device.unit.modes.selected_remap);
  EXPECT_EQ(select(with_header(values())), "GOOD");
  EXPECT_TRUE(target_->device.unit.modes.selected_remap);
  mode_pages_remap(&target_->device.unit.modes, &mode);
  EXPECT_EQ(mode.flags, MODE_REMAP_LEARNS | MODE_REMAP_MOVES);
  EXPECT_EQ(mode.map, 1);
  EXPECT_EQ(mode.share, 64);
  EXPECT_EQ(mode.into, 2);
  EXPECT_EQ(mode.method, MODE_REMAP_ANGLE);
  EXPECT_EQ(mode.idle_ms, 500);
  EXPECT_EQ(mode.first_block, 0x0A0B0C0DU);
  EXPECT_EQ(mode.unit_blocks, 16);
  EXPECT_EQ(mode.group_blocks, 160);
  EXPECT_EQ(mode.trials_thousands, 600);
  EXPECT_EQ(mode.hottest, 3120);
}

// Any accepted bytes are returned as current and saved values, and a page that the drive makes has
// the same bytes.
TEST_F(ScsiRemapPageTest, RandomPages_AreReturnedUnchanged) {
  std::mt19937 random(23);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const Bytes sent = drawn(random);
    EXPECT_EQ(select(with_header(sent)), "GOOD");
    EXPECT_EQ(page(kRemap), hex(sent));
    EXPECT_EQ(page(kRemap, MODE_SAVED), hex(sent));
    mode_remap mode{};
    mode_pages_remap(&target_->device.unit.modes, &mode);
    Bytes packed(MODE_REMAP_PACKED_BYTES, 0xEE);
    mode_remap_pack(&mode, packed.data());
    EXPECT_EQ(hex(packed), hex(Bytes(sent.begin() + 2, sent.end())));
  }
}

// While pages are written to the store, a MODE SELECT of page 23h may come. The written pages lack
// it, and a reset must not restore the earlier page.
TEST_F(ScsiRemapPageTest, StaysWhenOlderPagesHaveBeenWrittenToTheStore) {
  Bytes packed(MODE_PAGES_SAVED_BYTES);
  EXPECT_EQ(select(with_header(kControlUnrestricted)), "GOOD");
  const std::string stored = page(kControl);
  mode_pages_pack(&target_->device.unit.modes, packed.data());
  EXPECT_EQ(select(with_header(values())), "GOOD");
  mode_pages_set_saved(&target_->device.unit.modes, packed.data());
  EXPECT_EQ(page(kControl, MODE_SAVED), stored);
  EXPECT_EQ(page(kRemap, MODE_SAVED), hex(values()));
  bus_.reset();
  make_ready();
  EXPECT_EQ(page(kRemap), hex(values()));
}

// The drive sets the page to what it finds with its map at power-on, and sets byte 5 to 0 when a
// map is made. That is no MODE SELECT, and causes no unit attention. A reset keeps the values.
TEST_F(ScsiRemapPageTest, DriveSetsItAsItSetsItsMap) {
  const Bytes wanted = values();
  mode_remap mode{};
  mode_remap_unpack(wanted.data() + 2, &mode);
  mode_pages_set_remap(&target_->device.unit.modes, &mode);
  EXPECT_EQ(page(kRemap), hex(wanted));
  EXPECT_EQ(page(kRemap, MODE_SAVED), hex(wanted));
  EXPECT_EQ(page(kRemap, MODE_DEFAULT), kPages[11].defaults);
  EXPECT_FALSE(target_->device.unit.modes.selected_remap);
  EXPECT_EQ(execute({0, 0, 0, 0, 0, 0}, kOther), COMMAND_DONE);
  bus_.reset();
  make_ready();
  EXPECT_EQ(page(kRemap), hex(wanted));
}

// A refused list changes nothing: not the bytes that were good, and not the saved values.
TEST_F(ScsiRemapPageTest, BadMapNumberIsPointedAt_AndNothingChanges) {
  EXPECT_EQ(select(with_header(values())), "GOOD");
  for (const unsigned map : {2U, 3U, 16U, 255U}) {
    SCOPED_TRACE(map);
    Bytes sent = values();
    sent[3] = static_cast<uint8_t>(map);
    sent[4] = 1;
    EXPECT_EQ(select(with_header(sent)), map > 2 ? "5/26/00" : "GOOD");
    if (map <= 2) continue;
    EXPECT_EQ(command_.sense.detail, SENSE_DETAIL_PARAMETER_FIELD);
    EXPECT_EQ(command_.sense.value, 4U + MODE_REMAP_AT_MAP);
    for (const mode_page_control control : {MODE_CURRENT, MODE_SAVED}) {
      EXPECT_EQ(page(kRemap, control).substr(9, 5), "02 01") << "of map 2, with its share";
    }
  }
}

/// Page 02h with different numbers in all fields.
TenancyPage page_of_limits() {
  TenancyPage page;
  page.full_ratio = 0x11;
  page.empty_ratio = 0x22;
  page.inactivity = 0x0304;
  page.disconnect = 0x0506;
  page.connect = 0x0708;
  page.burst = 0x090A;
  page.dimm = true;
  return page;
}

TEST_F(ScsiModeTest, EachLimitOfTheBus_HasTheValueOfItsBytes) {
  TenancyPage sent = page_of_limits();
  EXPECT_EQ(select(sent.list()), "GOOD");
  const std::string held = "02 0E 11 22 03 04 05 06 07 08 09 0A 08 00 00 00";
  EXPECT_EQ(page(0x02), held);
  EXPECT_EQ(page(0x02, MODE_DEFAULT), kPages[1].defaults);
  // 100 us are 4,000 ticks, blocks have 512 bytes.
  const mode_tenancy& limits = target_->limits;
  EXPECT_TRUE(limits.any);
  EXPECT_EQ(limits.inactivity_ticks, 0x0304U * 4000);
  EXPECT_EQ(limits.disconnect_ticks, 0x0506U * 4000);
  EXPECT_EQ(limits.connect_ticks, 0x0708U * 4000);
  EXPECT_EQ(limits.burst_blocks, 0x090AU);
  EXPECT_TRUE(limits.dimm);
  EXPECT_EQ(limits.dtdc, MODE_DTDC_NONE);
  mode_disconnect ratios{};
  mode_pages_disconnect(&target_->device.unit.modes, &ratios);
  EXPECT_EQ(ratios.full_ratio, 0x11);
  EXPECT_EQ(ratios.empty_ratio, 0x22);
  sent.burst = 0;
  for (const std::uint8_t dtdc : {MODE_DTDC_DATA, MODE_DTDC_COMMAND}) {
    sent.dtdc = dtdc;
    EXPECT_EQ(select(sent.list()), "GOOD");
    EXPECT_EQ(limits.dtdc, dtdc);
  }
  EXPECT_EQ(select(TenancyPage{}.list()), "GOOD");
  EXPECT_FALSE(limits.any);
  EXPECT_FALSE(target_->stages.any);
}

// Page 21h, byte 19: the share of a write that is in the buffer when the media begin. Byte 18, bit
// 3, makes it a number of blocks.
TEST_F(ScsiModeTest, ControllerPage_SetsWhenAWriteBegins) {
  for (const bool counts : {false, true}) {
    Bytes list(4);
    const Bytes page = test::controller_page();
    list.insert(list.end(), page.begin(), page.end());
    list[4 + MODE_CONTROLLER_AT_WRITES] = 0x2D;
    if (counts) list[4 + MODE_CONTROLLER_AT_AHEAD] = MODE_CONTROLLER_COUNTS;
    ASSERT_EQ(select(list), "GOOD");
    mode_disconnect ratios{};
    mode_pages_disconnect(&target_->device.unit.modes, &ratios);
    EXPECT_EQ(ratios.write_ratio, 0x2D);
    EXPECT_EQ(ratios.write_counts, counts);
  }
}

TEST_F(ScsiModeTest, EachLimitOfTheBus_IsIndependent) {
  for (int i = 0; i < 6; ++i) {
    TenancyPage sent;
    if (i == 0) sent.inactivity = 1;
    if (i == 1) sent.disconnect = 1;
    if (i == 2) sent.connect = 1;
    if (i == 3) sent.burst = 1;
    if (i == 4) sent.dimm = true;
    if (i == 5) sent.dtdc = MODE_DTDC_DATA;
    EXPECT_EQ(select(sent.list()), "GOOD");
    EXPECT_TRUE(target_->limits.any) << i;
  }
}

// The page is shared by all initiators, who get a unit attention for a change (SPC-2 8.3.7).
TEST_F(ScsiModeTest, LimitsOfTheBusAreShared) {
  EXPECT_EQ(select(page_of_limits().list()), "GOOD");
  EXPECT_EQ(execute({0x1A, 0x08, 2, 0, 255, 0}, kOther), COMMAND_CHECK);
  EXPECT_EQ(sense_text(), "6/2A/01");
  EXPECT_EQ(execute({0x1A, 0x08, 2, 0, 255, 0}, kOther), COMMAND_DONE);
  EXPECT_EQ(reply().at(4 + 15 - 4), 0x0A);
}

// The drive disconnects between blocks: a burst is rounded up to one (SCSI-2 7.5.4).
TEST_F(ScsiModeTest, BurstOfLessThanABlock_IsRoundedAndReported) {
  config_.block_bytes = 2048;
  power_on();
  make_ready();
  TenancyPage sent;
  const struct {
    std::uint16_t sent, held, blocks;
    const char* sense;
  } cases[] = {{1, 4, 1, "1/37/00"}, {3, 4, 1, "1/37/00"}, {4, 4, 1, "GOOD"},
               {7, 7, 1, "GOOD"},    {8, 8, 2, "GOOD"},    {0, 0, 0, "GOOD"}};
  for (const auto& c : cases) {
    sent.burst = c.sent;
    EXPECT_EQ(select(sent.list()), c.sense) << c.sent;
    sent.burst = c.held;
    EXPECT_EQ(page(0x02), hex(sent.bytes()));
    EXPECT_EQ(target_->limits.burst_blocks, c.blocks);
  }
}

TEST_F(ScsiModeTest, Descriptor_MayHaveTheCurrentValues) {
  const Bytes counts[] = {{0, 0, 0, 0}, {0, 1, 0x86, 0xA0}, {0xFF, 0xFF, 0xFF, 0xFF}};
  for (const Bytes& count : counts) {
    Bytes list = {0, 0, 0, 8};
    list.insert(list.end(), count.begin(), count.end());
    list.insert(list.end(), {0, 0, 2, 0});
    EXPECT_EQ(select(list), "GOOD") << hex(count);
  }
}

TEST_F(ScsiModeTest, Select10HasTheLongerHeader) {
  Bytes list(8, 0);
  list.insert(list.end(), kControlUnrestricted.begin(), kControlUnrestricted.end());
  ASSERT_EQ(execute({0x55, 0x10, 0, 0, 0, 0, 0, 0, 20, 0}), COMMAND_NEEDS_DATA);
  EXPECT_EQ(finish(list), COMMAND_DONE);
  EXPECT_TRUE(mode_unrestricted_reordering(&target_->device.unit.modes));
}

}  // namespace
}  // namespace headstack::firmware
