// SPDX-License-Identifier: Apache-2.0
// The vendor's page of streams (20h/01h): layout, the values that MODE SELECT accepts, and unit
// attentions. Layout and limits: firmware/unit/stream_page.h; subpage format: SPC-3 7.4.5.
#include "firmware/unit/stream_page.h"

#include "firmware/unit/mode_page.h"
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

class ScsiStreamPageTest : public ScsiFixture {
 protected:
  void SetUp() override {
    ScsiFixture::SetUp();
    make_ready();
  }

  /// The page without settings.
  static Bytes empty() {
    Bytes bytes(132);
    bytes[0] = 0x60;  // SPF, page 20h
    bytes[1] = 0x01;
    bytes[3] = 128;
    return bytes;
  }
  static std::size_t at(std::size_t stream, std::size_t byte) { return 4 + 8 * stream + byte; }
  /// Reserves a part: u in thousandths, p in ms.
  static void reserve(Bytes& page, std::size_t stream, unsigned u, unsigned p) {
    page[at(stream, 0)] = static_cast<uint8_t>(u >> 8);
    page[at(stream, 1)] = static_cast<uint8_t>(u);
    page[at(stream, 2)] = static_cast<uint8_t>(p >> 8);
    page[at(stream, 3)] = static_cast<uint8_t>(p);
  }
  /// The page as in MODE SENSE. The drive here has no store: PS is clear (SPC-2 8.3.1).
  static std::string sensed(const Bytes& page) { return hex(page); }

  /// MODE SENSE of a drive without a store, which has no saved values (SCSI-2 8.2.10.3).
  std::string sense(mode_page_control control = MODE_CURRENT, uint8_t subpage = 0x01) {
    const auto byte = static_cast<uint8_t>(control << 6 | 0x20);
    if (execute({0x1A, 0x08, byte, subpage, 255, 0}) != COMMAND_DONE) return sense_text();
    const Bytes data = reply();
    return hex(Bytes(data.begin() + 4, data.end()));
  }
  std::string select(const Bytes& page) {
    Bytes list(4);
    list.insert(list.end(), page.begin(), page.end());
    EXPECT_EQ(execute({0x15, 0x10, 0, 0, static_cast<uint8_t>(list.size()), 0}),
              COMMAND_NEEDS_DATA);
    return finish(list) == COMMAND_DONE ? "GOOD" : sense_text();
  }
  std::string after_test_unit_ready() {
    return execute({0, 0, 0, 0, 0, 0}, kOther) == COMMAND_DONE ? "GOOD" : sense_text();
  }
};

TEST_F(ScsiStreamPageTest, NothingIsSettledAtFirst) {
  for (const mode_page_control control : {MODE_CURRENT, MODE_DEFAULT}) {
    EXPECT_EQ(sense(control), sensed(empty()));
  }
  EXPECT_EQ(sense(MODE_SAVED), "5/39/00");
  EXPECT_EQ(sense(MODE_CURRENT, 0x02), "5/24/00");
}

TEST_F(ScsiStreamPageTest, AllButTheLastByteOfAStreamCanChange) {
  Bytes page = empty();
  for (std::size_t stream = 0; stream < 16; ++stream) {
    for (std::size_t byte = 0; byte < 7; ++byte) page[at(stream, byte)] = 0xFF;
  }
  EXPECT_EQ(sense(MODE_CHANGEABLE), sensed(page));
}

TEST_F(ScsiStreamPageTest, Settings_AreKeptAndReported) {
  Bytes page = empty();
  reserve(page, 0, 400, 100);
  reserve(page, 15, 600, 50000);  // together exactly all of the time
  page[at(3, 4)] = 100;
  page[at(3, 5)] = 255;
  page[at(3, 6)] = 1;
  EXPECT_EQ(select(page), "GOOD");
  EXPECT_EQ(sense(), sensed(page));
  EXPECT_EQ(core_.modes_changed, 1U);
  EXPECT_EQ(after_test_unit_ready(), "6/2A/01");
  policy_stream streams[POLICY_STREAMS];
  mode_pages_streams(&target_->device.unit.modes, streams);
  EXPECT_EQ(streams[0].u_milli, 400);
  EXPECT_EQ(streams[0].p_ms, 100);
  EXPECT_EQ(streams[15].u_milli, 600);
  EXPECT_EQ(streams[15].p_ms, 50000);
  EXPECT_EQ(streams[3].share, 100);
  EXPECT_EQ(streams[3].round_quota, 255);
  EXPECT_EQ(streams[3].weight, 1);
  // The same page again changes nothing.
  EXPECT_EQ(select(page), "GOOD");
  EXPECT_EQ(core_.modes_changed, 1U);
}

// mode_page.h: the store has the pages, and after them the subpage of streams.
TEST_F(ScsiStreamPageTest, Packed_FollowsThePages_AndIsReadBack) {
  Bytes page = empty();
  reserve(page, 0, 1, 2);
  reserve(page, 15, 3, 4);
  EXPECT_EQ(select(page), "GOOD");
  Bytes packed(MODE_PAGES_SAVED_BYTES + 1, 0xEE);
  mode_pages_pack(&target_->device.unit.modes, packed.data());
  EXPECT_EQ(packed.back(), 0xEE);
  EXPECT_EQ(hex(Bytes(packed.begin() + MODE_PAGES_BYTES, packed.end() - 1)), hex(page));
  EXPECT_EQ(select(empty()), "GOOD");
  mode_pages_set_saved(&target_->device.unit.modes, packed.data());
  mode_pages_reset(&target_->device.unit.modes);
  EXPECT_EQ(sense(), sensed(page));
}

TEST_F(ScsiStreamPageTest, PageWithAllItsSubpages_HasThem) {
  const std::string all = sense(MODE_CURRENT, 0xFF);
  EXPECT_EQ(all.substr(0, 5), "20 16");
  EXPECT_EQ(all.substr(24 * 3), sensed(empty()));
}

struct Bad {
  const char* name;
  std::size_t field;  // byte of the page
  std::function<void(Bytes&)> spoil;
};

TEST_F(ScsiStreamPageTest, Malformed_IsRefusedAtItsField) {
  const Bad bad[] = {
      {"no subpage format of this page", 0, [](Bytes& page) { page[0] = 0x61; }},
      {"subpage", 1, [](Bytes& page) { page[1] = 2; }},
      {"length", 2, [](Bytes& page) { page[3] = 127; }},
      {"u without p", at(2, 2), [](Bytes& page) { reserve(page, 2, 1, 0); }},
      {"p without u", at(2, 2), [](Bytes& page) { reserve(page, 2, 0, 1); }},
      {"u of one", at(0, 0), [](Bytes& page) { reserve(page, 0, 1001, 1); }},
      {"u of all", at(9, 0),
       [](Bytes& page) {
         reserve(page, 1, 500, 1);
         reserve(page, 9, 501, 1);
       }},
      {"p", at(15, 2), [](Bytes& page) { reserve(page, 15, 1, 50001); }},
      {"share of one", at(4, 4), [](Bytes& page) { page[at(4, 4)] = 101; }},
      {"share of all", at(5, 4),
       [](Bytes& page) {
         page[at(4, 4)] = 50;
         page[at(5, 4)] = 51;
       }},
      {"reserved", at(15, 7), [](Bytes& page) { page[at(15, 7)] = 1; }},
  };
  for (const Bad& one : bad) {
    SCOPED_TRACE(one.name);
    Bytes page = empty();
    one.spoil(page);
    EXPECT_EQ(select(page), "5/26/00");
    EXPECT_EQ(command_.sense.detail, SENSE_DETAIL_PARAMETER_FIELD);
    EXPECT_EQ(command_.sense.value & 0xFFFF, 4 + one.field);
    EXPECT_EQ(sense(), sensed(empty()));
    EXPECT_EQ(core_.modes_changed, 0U);
  }
  for (const std::size_t bytes : {1U, 3U, 131U}) {
    Bytes page = empty();
    page.resize(bytes);
    EXPECT_EQ(select(page), "5/1A/00") << bytes;
  }
}

}  // namespace
}  // namespace headstack::firmware
