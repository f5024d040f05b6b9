// SPDX-License-Identifier: Apache-2.0
// Every row of firmware/unit/modes.def, as MODE SENSE and MODE SELECT show it. The tests try
// default values, bits that can change, limits, and the byte of a refused value. Expected bytes are
// assembled here bit by bit, from the meaning of the columns of a row (SPC-2 8.3: byte, highest
// bit, width).
#include <algorithm>

#include "firmware/queue/write_buffer.h"
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

struct Field {
  const char* page;
  const char* field;
  uint8_t code, subpage;
  uint32_t byte, bit, bits;
  uint32_t initial = 0;
  uint32_t least = 0;
  uint32_t most = UINT32_MAX;
  mode_beyond beyond = MODE_REFUSED;
  bool changes = true;

  std::string name() const { return std::string(page) + " " + field; }
  uint32_t highest() const { return std::min(most, UINT32_MAX >> (32 - bits)); }
};

struct Page {
  uint8_t code, subpage;
  uint32_t bytes;
  mode_saved saved;

  uint32_t header_bytes() const { return subpage == 0 ? 2 : 4; }
};

struct Subpage {
  const char* descriptor;
  uint8_t code, subpage;
  uint32_t at, descriptor_bytes, count;
  mode_saved saved;

  uint32_t bytes() const { return at + count * descriptor_bytes; }
};

// Calls `visit` with the place of each bit of a field and its mask in the value, highest bit first.
template <class Visit>
void for_each_bit(const Field& field, Visit visit) {
  for (uint32_t i = 0; i < field.bits; ++i) {
    const uint32_t place = 8 * field.byte + 7 - field.bit + i;
    visit(place / 8, static_cast<uint8_t>(0x80U >> place % 8), 1U << (field.bits - 1 - i));
  }
}

void put(Bytes& bytes, const Field& field, uint32_t value, std::size_t at = 0) {
  for_each_bit(field, [&](std::size_t byte, uint8_t mask, uint32_t of_value) {
    bytes[at + byte] = static_cast<uint8_t>((value & of_value) != 0 ? bytes[at + byte] | mask
                                                                    : bytes[at + byte] & ~mask);
  });
}

std::vector<Page> pages() {
  return {
#define MODE_PAGE(page, code, subpage, bytes, saved, ...) Page{code, subpage, bytes, MODE_##saved},
#include "firmware/unit/modes.def"
  };
}

std::vector<Subpage> subpages() {
  return {
#define MODE_SUBPAGE(page, code, subpage, at, descriptor, count, saved, ...) \
  Subpage{#descriptor, code, subpage, at, MODE_##descriptor##_BYTES, count, MODE_##saved},
#include "firmware/unit/modes.def"
  };
}

/// Fields of descriptors.
std::vector<Field> descriptor_fields() {
  return {
#define MODE_DESCRIPTOR_FIELD(descriptor, field, name, byte, bit, bits, unit, least, most, beyond, \
                              initial, change, meaning)                                            \
  Field{#descriptor, #field,  0,     0,    byte,          bit,                                     \
        bits,        initial, least, most, MODE_##beyond, MODE_##change == MODE_CHANGES},
#include "firmware/unit/modes.def"
  };
}

class ModeRowsTest : public ScsiFixture {
 protected:
  void SetUp() override {
    ScsiFixture::SetUp();
    make_ready();
    config_.keeps_modes = true;
    core_.buffers[BUFFER_LOCATIONS] = Bytes(16);                  // there is room for a map
    core_.cache_blocks = MODE_CACHING_SEGMENTS_MAX * UINT16_MAX;  // and for all segments
    start_anew();
  }
  void start_anew() { mode_pages_init(&target_->device.unit.modes, &config_); }

  /// Fields of pages. An array counts as its number of fields.
  std::vector<Field> fields() const {
    const unit_config* config = &config_;
    std::vector<Field> found;
#define MODE_FIELD(page, field, name, byte, bit, bits, unit, least, most, beyond, initial, change, \
                   meaning)                                                                        \
  found.push_back({#page, #field, MODE_PAGE_##page, MODE_SUBPAGE_##page, byte, bit, bits,          \
                   static_cast<uint32_t>(initial), least, most, MODE_##beyond,                     \
                   MODE_##change == MODE_CHANGES});
#define MODE_ARRAY(page, field, name, byte, bits, count, ...)            \
  for (uint32_t i = 0; i < (count); ++i) {                               \
    found.push_back({#page, #field, MODE_PAGE_##page, MODE_SUBPAGE_NONE, \
                     (byte) + i * ((bits) / 8U), 7U, bits});             \
  }
#include "firmware/unit/modes.def"
    return found;
  }
  std::vector<Field> fields_of(const Page& page) const {
    std::vector<Field> found = fields();
    const auto is_of_other = [&page](const Field& field) {
      return field.code != page.code || field.subpage != page.subpage;
    };
    found.erase(std::remove_if(found.begin(), found.end(), is_of_other), found.end());
    return found;
  }
  Field find(const std::string& name) const {
    for (const Field& field : fields()) {
      if (field.name() == name) return field;
    }
    ADD_FAILURE() << "no row " << name;
    return {};
  }

  // MODE SENSE(10) without header and descriptor; empty after an error.
  Bytes sense(uint8_t code, mode_page_control control = MODE_CURRENT, uint8_t subpage = 0) {
    const auto byte = static_cast<uint8_t>(control << 6 | code);
    if (execute({0x5A, 0x08, byte, subpage, 0, 0, 0, 4, 0, 0}) != COMMAND_DONE) return {};
    const Bytes data = reply();
    return Bytes(data.begin() + kHeader, data.end());
  }
  Bytes sense(const Page& page, mode_page_control control = MODE_CURRENT) {
    return sense(page.code, control, page.subpage);
  }
  Bytes sense(const Field& field, mode_page_control control = MODE_CURRENT) {
    return sense(field.code, control, field.subpage);
  }
  // MODE SELECT(10): "GOOD" or the sense.
  std::string select(const Bytes& page) {
    Bytes list(kHeader);
    list.insert(list.end(), page.begin(), page.end());
    const auto high = static_cast<uint8_t>(list.size() >> 8);
    const auto low = static_cast<uint8_t>(list.size());
    EXPECT_EQ(execute({0x55, 0x10, 0, 0, 0, 0, 0, high, low, 0}), COMMAND_NEEDS_DATA);
    return finish(list) == COMMAND_DONE ? "GOOD" : sense_text();
  }
  // Checks that the last sense points to this byte of the page.
  void expect_pointer(std::size_t byte) {
    EXPECT_EQ(command_.sense.detail, SENSE_DETAIL_PARAMETER_FIELD);
    EXPECT_EQ(command_.sense.value & 0xFFFF, kHeader + byte);
  }
  Bytes header_of(const Page& page) const {
    Bytes bytes(page.bytes);
    if (page.subpage != 0) {
      bytes[0] = static_cast<uint8_t>(0x80 | 0x40 | page.code);
      bytes[1] = page.subpage;
      bytes[3] = static_cast<uint8_t>(page.bytes - 4);
      return bytes;
    }
    bytes[0] = static_cast<uint8_t>(0x80 | page.code);
    bytes[1] = static_cast<uint8_t>(page.bytes - 2);
    return bytes;
  }
  static Bytes header_of(const Subpage& page) {
    Bytes bytes(page.bytes());
    bytes[0] = static_cast<uint8_t>((page.saved == MODE_STORED ? 0x80 : 0) | 0x40 | page.code);
    bytes[1] = page.subpage;
    bytes[2] = static_cast<uint8_t>((page.bytes() - 4) >> 8);
    bytes[3] = static_cast<uint8_t>(page.bytes() - 4);
    return bytes;
  }
  // A page with default values, this value, and the values that its rules require beside it.
  Bytes page_with(const Field& field, uint32_t value) {
    Bytes page = sense(field, MODE_DEFAULT);
    const auto beside = [&](const char* name, uint32_t other) { put(page, find(name), other); };
    // SCSI-2 table 170: DTE only with PER.
    if (field.name() == "ERROR_RECOVERY DTE") beside("ERROR_RECOVERY PER", value);
    if (field.name() == "VERIFY_RECOVERY DTE") beside("VERIFY_RECOVERY PER", value);
    // queue/write_buffer.h: frames for space and free, rate and scale for time.
    const bool is_of_time =
        field.name() == "WRITE_BUFFER RATE" || field.name() == "WRITE_BUFFER SCALE";
    if (is_of_time) beside("WRITE_BUFFER THRESHOLD", WRITE_THRESHOLD_TIME);
    if (field.name() == "WRITE_BUFFER FRAMES") {
      beside("WRITE_BUFFER THRESHOLD", value > 0 ? WRITE_THRESHOLD_SPACE : WRITE_THRESHOLD_NONE);
    }
    if (field.name() == "WRITE_BUFFER THRESHOLD") {
      beside("WRITE_BUFFER FRAMES", value == WRITE_THRESHOLD_FREE ? 1 : 0);
    }
    put(page, field, value);
    return page;
  }
  // Whether a rule refuses a value inside the limits: a policy that does not exist, segments
  // without blocks.
  static bool is_refused_by_rule(const Field& field, uint32_t value) {
    return (field.name() == "SCHEDULER POLICY" && value == UINT8_MAX) ||
           (field.name() == "CACHING SEGMENT_BLOCKS" && value == 0);
  }
  void expect_held(const Field& field, uint32_t sent, uint32_t held) {
    SCOPED_TRACE(testing::Message() << field.name() << " = " << sent);
    start_anew();
    EXPECT_EQ(select(page_with(field, sent)), sent == held ? "GOOD" : "1/37/00");
    EXPECT_EQ(hex(sense(field)), hex(page_with(field, held)));
  }
  void expect_refused(const Field& field, uint32_t sent) {
    SCOPED_TRACE(testing::Message() << field.name() << " = " << sent);
    start_anew();
    EXPECT_EQ(select(page_with(field, sent)), "5/26/00");
    expect_pointer(field.byte);
    EXPECT_EQ(hex(sense(field)), hex(sense(field, MODE_DEFAULT)));
  }

  static constexpr std::size_t kHeader = 8;
};

TEST_F(ModeRowsTest, DefaultsAreThoseOfTheRows_AndAllOtherBitsAre0) {
  for (const Page& page : pages()) {
    Bytes expected = header_of(page);
    for (const Field& field : fields_of(page)) put(expected, field, field.initial);
    for (const mode_page_control control : {MODE_CURRENT, MODE_DEFAULT, MODE_SAVED}) {
      EXPECT_EQ(hex(sense(page, control)), hex(expected));
    }
  }
  for (const Subpage& page : subpages()) {
    EXPECT_EQ(hex(sense(page.code, MODE_CURRENT, page.subpage)), hex(header_of(page)));
    EXPECT_EQ(hex(sense(page.code, MODE_DEFAULT, page.subpage)), hex(header_of(page)));
  }
}

TEST_F(ModeRowsTest, ChangeableBitsAreThoseOfTheRows) {
  for (const Page& page : pages()) {
    Bytes expected = header_of(page);
    for (const Field& field : fields_of(page)) {
      if (field.changes) put(expected, field, UINT32_MAX);
    }
    EXPECT_EQ(hex(sense(page, MODE_CHANGEABLE)), hex(expected));
  }
  for (const Subpage& page : subpages()) {
    Bytes expected = header_of(page);
    for (uint32_t i = 0; i < page.count; ++i) {
      for (const Field& field : descriptor_fields()) {
        if (std::string(field.page) != page.descriptor || !field.changes) continue;
        put(expected, field, UINT32_MAX, page.at + i * page.descriptor_bytes);
      }
    }
    EXPECT_EQ(hex(sense(page.code, MODE_CHANGEABLE, page.subpage)), hex(expected));
  }
}

// SPC-2 7.6: a bit that cannot change is refused, with a pointer to its byte.
TEST_F(ModeRowsTest, EveryOtherBitIsRefusedAtItsByte) {
  for (const Page& page : pages()) {
    const Bytes changeable = sense(page, MODE_CHANGEABLE);
    for (uint32_t bit = 8 * page.header_bytes(); bit < 8 * page.bytes; ++bit) {
      const auto mask = static_cast<uint8_t>(1U << bit % 8);
      if ((changeable[bit / 8] & mask) != 0) continue;
      Bytes sent = sense(page);
      sent[bit / 8] ^= mask;
      SCOPED_TRACE(hex(sent));
      EXPECT_EQ(select(sent), "5/26/00");
      expect_pointer(bit / 8);
    }
  }
  for (const Subpage& page : subpages()) {
    const Bytes changeable = sense(page.code, MODE_CHANGEABLE, page.subpage);
    for (uint32_t bit = 8 * 4; bit < 8 * page.bytes(); ++bit) {
      const auto mask = static_cast<uint8_t>(1U << bit % 8);
      if ((changeable[bit / 8] & mask) != 0) continue;
      Bytes sent = header_of(page);
      sent[bit / 8] ^= mask;
      SCOPED_TRACE(hex(sent));
      EXPECT_EQ(select(sent), "5/26/00");
      expect_pointer(bit / 8);
    }
  }
}

TEST_F(ModeRowsTest, ValuesUpToTheLimitsAreHeld) {
  for (const Field& field : fields()) {
    if (!field.changes) continue;
    for (const uint32_t value : {field.least, field.highest()}) {
      if (!is_refused_by_rule(field, value)) expect_held(field, value, value);
    }
  }
}

// SCSI-2 7.5.4: the drive reports a rounded value.
TEST_F(ModeRowsTest, ValuesBeyondTheLimitsAreRefusedOrRounded) {
  for (const Field& field : fields()) {
    if (!field.changes) continue;
    const uint32_t highest = UINT32_MAX >> (32 - field.bits);
    if (field.most < highest) {
      if (field.beyond == MODE_REFUSED) {
        expect_refused(field, field.most + 1);
      } else {
        expect_held(field, field.most + 1, field.most);
      }
    }
    if (field.least == 0) continue;
    if (field.beyond == MODE_REFUSED) {
      expect_refused(field, field.least - 1);
    } else {
      expect_held(field, field.least - 1, field.least);
      expect_held(field, 0, field.beyond == MODE_ROUNDED_BUT_0 ? 0 : field.least);
    }
  }
}

// MODE SELECT without SP: the drive nevertheless keeps a page WITH_MAP, and no other.
TEST_F(ModeRowsTest, SavedValuesAreKeptAsThePageSays) {
  for (const Page& page : pages()) {
    for (const Field& field : fields_of(page)) {
      const uint32_t value = field.initial != field.highest() ? field.highest() : field.least;
      if (!field.changes || is_refused_by_rule(field, value)) continue;
      expect_held(field, value, value);
      const mode_page_control same = page.saved == MODE_WITH_MAP ? MODE_CURRENT : MODE_DEFAULT;
      EXPECT_EQ(hex(sense(page, MODE_SAVED)), hex(sense(page, same))) << field.name();
    }
  }
  for (const Subpage& page : subpages()) {
    const bool has_saved = !sense(page.code, MODE_SAVED, page.subpage).empty();
    EXPECT_EQ(has_saved, page.saved != MODE_NEVER_SAVED);
    if (!has_saved) {
      EXPECT_EQ(sense_text(), "5/39/00");
    }
  }
}

// The accessors of firmware and host: MODE_GET and MODE_PUT read and write exactly a field's bits.
TEST_F(ModeRowsTest, EachFieldIsReadAndWrittenInItsBits) {
  for (const uint8_t fill : {uint8_t{0x00}, uint8_t{0xFF}, uint8_t{0x5A}}) {
    for (const uint32_t value : {0U, 1U, 0x12345678U, UINT32_MAX}) {
      for (const Field& field : fields()) {
        SCOPED_TRACE(field.name());
        Bytes expected(40, fill);
        put(expected, field, value);
        Bytes bytes(40, fill);
        mode_bits_put(bytes.data() + field.byte, field.bit, field.bits, value);
        EXPECT_EQ(hex(bytes), hex(expected));
        EXPECT_EQ(mode_bits_get(bytes.data() + field.byte, field.bit, field.bits),
                  value & UINT32_MAX >> (32 - field.bits));
      }
    }
  }
  Bytes page(MODE_CACHING_BYTES);
  MODE_PUT(page.data(), CACHING, SEGMENT_BLOCKS, 0x1234);
  MODE_PUT(page.data(), CACHING, WCE, 1);
  EXPECT_EQ(hex(page), "00 00 04 00 00 00 00 00 00 00 00 00 00 00 12 34 00 00 00 00")
      << "SBC-2 6.3.3";
  EXPECT_EQ(MODE_GET(page.data(), CACHING, SEGMENT_BLOCKS), 0x1234U);
  MODE_PUT_AT(page.data(), SCHEDULER, PARAMETERS, 1, 0xA1B2C3D4U);
  EXPECT_EQ(hex(Bytes(page.begin() + 12, page.begin() + 16)), "A1 B2 C3 D4");
  EXPECT_EQ(MODE_GET_AT(page.data(), SCHEDULER, PARAMETERS, 1), 0xA1B2C3D4U);
}

}  // namespace
}  // namespace headstack::firmware
