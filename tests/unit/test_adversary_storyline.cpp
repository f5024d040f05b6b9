// SPDX-License-Identifier: Apache-2.0
// The adversary's storylines: out of bytes, as text and back, and made smaller; and the blocks and
// CDBs that they are of.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/fuzz/drive/block_content.hpp"
#include "tests/fuzz/drive/cdb.hpp"
#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/generate.hpp"
#include "tests/fuzz/drive/mode_state.hpp"
#include "tests/fuzz/drive/shrink.hpp"
#include "tests/support.hpp"

namespace headstack::fuzz {
namespace {

constexpr std::uint64_t kSeed = 16;

TEST(Storyline, IsTheSameAfterATripThroughText) {
  for (std::uint64_t number = 0; number < 300; ++number) {
    const Bytes bytes = random_bytes(kSeed, number);
    const std::string text = to_text(generate(bytes.data(), bytes.size()));
    ASSERT_EQ(to_text(parse(text, "text")), text) << "seed " << kSeed << ", case " << number;
  }
}

TEST(Storyline, AboutLimits_IsTheSameAfterATripThroughText) {
  for (std::uint64_t number = 0; number < 30; ++number) {
    const std::string text = to_text(random_storyline(kSeed, number, Theme::kLimits));
    ASSERT_NE(text.find(" simple:free"), std::string::npos);
    ASSERT_EQ(to_text(parse(text, "text")), text) << "seed " << kSeed << ", case " << number;
  }
}

TEST(Storyline, AboutTheCache_IsTheSameAfterATripThroughText) {
  for (std::uint64_t number = 0; number < 100; ++number) {
    const std::string text = to_text(random_storyline(kSeed, number, Theme::kCache));
    ASSERT_EQ(to_text(parse(text, "text")), text) << "seed " << kSeed << ", case " << number;
  }
}

TEST(Storyline, AboutTheCache_AnyBytesAreOne) {
  const Bytes bytes = random_bytes(kSeed, 1, Theme::kCache);
  std::size_t commands = 0;
  for (std::size_t count = 0; count < 20 * kActionBytes; ++count) {
    const Storyline storyline = generate(bytes.data(), count, Theme::kCache);
    const Capacity capacity = capacity_of(storyline.drive);
    for (const Action& action : storyline.actions) {
      ASSERT_LT(action.host, storyline.hosts.size());
      if (action.kind != ActionKind::kCommand) continue;
      ASSERT_EQ(action.cdb.size(), cdb_bytes(action.cdb[0]));
      const Request request = request_of(action.cdb, capacity);
      ASSERT_LE(request.lba + request.blocks, capacity.blocks);
      ++commands;
    }
  }
  EXPECT_GT(commands, 20U * kActionBytes) << "or hardly anything was looked at";
}

TEST(Storyline, AboutTheBus_IsTheSameAfterATripThroughText) {
  for (std::uint64_t number = 0; number < 100; ++number) {
    const std::string text = to_text(random_storyline(kSeed, number, Theme::kBus));
    ASSERT_EQ(to_text(parse(text, "text")), text) << "seed " << kSeed << ", case " << number;
  }
}

TEST(Storyline, AboutTheBus_AnyBytesAreOne) {
  const Bytes bytes = random_bytes(kSeed, 1, Theme::kBus);
  std::size_t commands = 0;
  for (std::size_t count = 0; count < 20 * kActionBytes; ++count) {
    const Storyline storyline = generate(bytes.data(), count, Theme::kBus);
    const Capacity capacity = capacity_of(storyline.drive);
    for (const Action& action : storyline.actions) {
      ASSERT_LT(action.host, storyline.hosts.size());
      if (action.kind != ActionKind::kCommand) continue;
      ASSERT_EQ(action.cdb.size(), cdb_bytes(action.cdb[0]));
      const Request request = request_of(action.cdb, capacity);
      ASSERT_LE(request.lba + request.blocks, capacity.blocks);
      ++commands;
    }
  }
  EXPECT_GT(commands, 20U * kActionBytes) << "or hardly anything was looked at";
}

/// Values drawn in the storylines of a seed.
struct Drawn {
  std::set<std::size_t> host_counts;
  std::set<unsigned> host_ids;
  std::set<std::string> drives;
  std::set<unsigned> message_lengths;  // the length byte of extended messages
  std::set<Bytes> refusals;
  std::set<unsigned> control_bits;  // byte 12 of mode page 02h: DTDC and DImm
  std::size_t longest_blocks = 0;

  void note(const Bytes& message) {
    if (message.size() > 1 && message[0] == 0x01) message_lengths.insert(message[1]);
  }
  void note(const Action& action) {
    for (const Bytes& message : action.messages) note(message);
    for (const Interjection& one : action.interjections) note(one.message);
    if (!action.refusal.empty()) refusals.insert(action.refusal);
    if (action.cdb.empty()) return;
    const Request request = request_of(action.cdb, {10'000'000, 512});
    if (request.operation == Operation::kRead) {
      longest_blocks = std::max<std::size_t>(longest_blocks, request.blocks);
    }
    if (request.operation != Operation::kModeSelect) return;
    for (const Bytes& page : mode_pages_of(action.list, action.cdb[0] == 0x55)) {
      if (page[0] == 0x02 && page.size() == 16) control_bits.insert(page[12] & 0x0FU);
    }
  }
};

Drawn drawn_by(Theme theme, std::uint64_t cases) {
  Drawn drawn;
  for (std::uint64_t number = 0; number < cases; ++number) {
    const Storyline storyline = random_storyline(kSeed, number, theme);
    drawn.host_counts.insert(storyline.hosts.size());
    drawn.drives.insert(storyline.drive);
    for (const HostSetup& host : storyline.hosts) {
      drawn.host_ids.insert(host.id);
      const unsigned ids = drive_named(storyline.drive).design.bus.width_bits;
      // The default theme has had ids 5, 15 and 1 on every bus from the beginning.
      if (theme != Theme::kBus) continue;
      EXPECT_LT(host.id, ids) << "case " << number;
    }
    for (const Action& action : storyline.actions) drawn.note(action);
  }
  return drawn;
}

TEST(Storyline, AboutTheBus_DrawsAllThatItsThemeNames) {
  const Drawn drawn = drawn_by(Theme::kBus, 1500);
  EXPECT_EQ(drawn.host_counts, (std::set<std::size_t>{1, 2, 3, 4, 5, 6, 7}));
  for (const unsigned id : {1U, 8U, 14U, 15U}) EXPECT_EQ(drawn.host_ids.count(id), 1U) << id;
  EXPECT_EQ(drawn.message_lengths.size(), 256U);
  for (const unsigned bits : {0U, 1U, 3U, 8U, 9U, 11U}) {
    EXPECT_EQ(drawn.control_bits.count(bits), 1U) << "DTDC and DImm " << bits;
  }
  EXPECT_EQ(drawn.refusals.count({0x07, 0xA0}), 1U) << "MESSAGE REJECT, then IDENTIFY with LUNTAR";
  EXPECT_EQ(drawn.drives.count("small-32k"), 1U);
  EXPECT_GT(drawn.longest_blocks, 64U) << "more than 32 KiB";
}

TEST(Storyline, AboutAnything_HasManyHosts_Dtdc_AndMessagesOfAllLengths) {
  const Drawn drawn = drawn_by(Theme::kAnything, 6000);
  EXPECT_EQ(drawn.host_counts, (std::set<std::size_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(drawn.message_lengths.size(), 256U);
  for (const unsigned bits : {0U, 1U, 3U, 8U, 9U, 11U}) {
    EXPECT_EQ(drawn.control_bits.count(bits), 1U) << "DTDC and DImm " << bits;
  }
}

TEST(Storyline, AnyBytesAreOne) {
  const Bytes bytes = random_bytes(kSeed, 1);
  std::size_t commands = 0;
  for (std::size_t count = 0; count < bytes.size(); ++count) {
    const Storyline storyline = generate(bytes.data(), count);
    ASSERT_FALSE(storyline.hosts.empty());
    ASSERT_LE(storyline.actions.size(), kActionsMax);
    for (const Action& action : storyline.actions) {
      ASSERT_LT(action.host, storyline.hosts.size());
      if (action.kind != ActionKind::kCommand) continue;
      ASSERT_EQ(action.cdb.size(), cdb_bytes(action.cdb[0]));
      ++commands;
    }
  }
  EXPECT_GT(commands, bytes.size()) << "or hardly anything was looked at";
}

struct BadText {
  const char* what;
  const char* text;
  const char* error;
};

class BadStoryline : public testing::TestWithParam<BadText> {};

TEST_P(BadStoryline, NamesFileAndLineAndRemedy) {
  try {
    parse(GetParam().text, "bad.txt");
    FAIL() << "it was taken";
  } catch (const StorylineError& error) {
    EXPECT_EQ(std::string(error.what()).find(GetParam().error), 0) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadStoryline,
    testing::Values(
        BadText{"empty", "", "bad.txt:0: the file is empty"},
        BadText{"no_heading", "drive small\n", "bad.txt:1: the first line must be"},
        BadText{"no_host", "headstack storyline 1\ndrive small\n", "bad.txt:2: no host"},
        BadText{"unknown_key", "headstack storyline 1\ndisk small\n", "bad.txt:2: 'disk' must be"},
        BadText{"drives_id", "headstack storyline 1\nhost 0 raw fast\n", "bad.txt:2: host id 0"},
        BadText{"two_of_an_id", "headstack storyline 1\nhost 7 raw fast\nhost 7 raw fast\n",
                "bad.txt:3: two hosts have id 7"},
        BadText{"eight_hosts",
                "headstack storyline 1\nhost 7 raw fast\nhost 6 raw fast\nhost 5 raw fast\n"
                "host 4 raw fast\nhost 3 raw fast\nhost 2 raw fast\nhost 1 raw fast\n"
                "host 15 raw fast\n",
                "bad.txt:9: there are more than 7 hosts"},
        BadText{"short_cdb", "headstack storyline 1\nhost 7 raw fast\n+0 h0 command 2800\n",
                "bad.txt:3: '2800' is shorter"},
        BadText{"no_such_host", "headstack storyline 1\nhost 7 raw fast\n+0 h3 bus-reset\n",
                "bad.txt:3: an action is of host h3"},
        BadText{"unknown_word",
                "headstack storyline 1\nhost 7 raw fast\n+0 h0 command 000000000000 quickly\n",
                "bad.txt:3: 'quickly' is no word"}),
    test::case_name<BadText>);

// ---- shrink

bool has(const Storyline& storyline, std::uint8_t opcode, ActionKind behind) {
  const auto command = std::find_if(
      storyline.actions.begin(), storyline.actions.end(), [opcode](const Action& action) {
        return action.kind == ActionKind::kCommand && action.cdb[0] == opcode;
      });
  return std::any_of(command, storyline.actions.end(),
                     [behind](const Action& action) { return action.kind == behind; });
}

/// A case that has a WRITE(10) with an ABORT somewhere after it.
Storyline find_case() {
  for (std::uint64_t number = 0;; ++number) {
    const Bytes bytes = random_bytes(kSeed, number);
    Storyline storyline = generate(bytes.data(), bytes.size());
    const bool large = storyline.actions.size() > 30 && storyline.hosts.size() > 1;
    if (large && has(storyline, 0x2A, ActionKind::kAbort)) return storyline;
  }
}

TEST(Shrink, LeavesNothingButWhatItTakes) {
  const StillShows shows = [](const Storyline& one) { return has(one, 0x2A, ActionKind::kAbort); };
  const Storyline small = shrink(find_case(), shows, 10'000);
  ASSERT_EQ(small.actions.size(), 2U) << to_text(small);
  EXPECT_TRUE(shows(small));
  const Action& write = small.actions[0];
  EXPECT_EQ(request_of(write.cdb, {2160, 512}).blocks, 1U);
  EXPECT_EQ(write.gap + small.actions[1].gap, 0);
  EXPECT_TRUE(write.parity_faults.empty() && write.messages.empty() && write.interjections.empty());
  EXPECT_TRUE(small.flaws.empty());
  EXPECT_LE(small.hosts.size(), 2U);
}

// Time that has to go by stays, rounded.
TEST(Shrink, KeepsATimeThatMatters) {
  const auto late = [](const Storyline& one) {
    Picoseconds time = 0;
    for (const Action& action : one.actions) {
      time += action.gap;
      if (action.kind == ActionKind::kAbort && time >= 70 * kPicosecondsPerMicrosecond) return true;
    }
    return false;
  };
  Storyline storyline = find_case();
  storyline.actions.back().kind = ActionKind::kAbort;
  storyline.actions.back().gap = 123'456 * kPicosecondsPerMicrosecond;
  const Storyline small = shrink(storyline, late, 10'000);
  ASSERT_EQ(small.actions.size(), 1U) << to_text(small);
  EXPECT_GE(small.actions[0].gap, 70 * kPicosecondsPerMicrosecond);
}

TEST(Shrink, NeverAnswersWithOneThatDoesNotShowIt) {
  const StillShows shows = [](const Storyline& one) { return has(one, 0x2A, ActionKind::kAbort); };
  for (const std::size_t tries : {0U, 1U, 5U, 30U})
    EXPECT_TRUE(shows(shrink(find_case(), shows, tries)));
}

// ---- blocks

TEST(BlockContent, TellsWhoseItIs) {
  Bytes block(512);
  fill_block(block.data(), 512, 17, 5);
  EXPECT_EQ(version_of_block(block.data(), 512, 17), Version{5});
  EXPECT_EQ(version_of_block(block.data(), 512, 18), std::nullopt) << "another block's";
  Bytes other(512);
  fill_block(other.data(), 512, 17, 6);
  std::copy(other.begin() + 496, other.end(), block.begin() + 496);
  EXPECT_EQ(version_of_block(block.data(), 512, 17), std::nullopt) << "torn in its last 16 bytes";
  std::rotate(other.begin(), other.begin() + 16, other.end());
  EXPECT_EQ(version_of_block(other.data(), 512, 17), std::nullopt) << "out of place";
}

TEST(BlockContent, OneWrongByteIsNobodys) {
  Bytes block(512);
  fill_block(block.data(), 512, 17, 5);
  for (std::size_t i = 0; i < block.size(); ++i) {
    block[i] ^= 1U;
    EXPECT_EQ(version_of_block(block.data(), 512, 17), std::nullopt) << "byte " << i;
    block[i] ^= 1U;
  }
}

// ---- CDBs: SPC-2 clause 7, SBC-2 clause 5

TEST(Cdb, RangesAreThoseOfTheStandard) {
  const Capacity capacity{2160, 512};
  const Request six = request_of({0x08, 0x1F, 0xFF, 0xFF, 0, 0}, capacity);
  EXPECT_EQ(six.lba, 0x1FFFFFU);
  EXPECT_EQ(six.blocks, 256U) << "a length of 0";
  EXPECT_EQ(six.validity, Validity::kOutOfRange);
  const Request ten = request_of({0x2A, 0x08, 0, 0, 8, 0x6F, 0, 0, 1, 0}, capacity);
  EXPECT_EQ(ten.validity, Validity::kValid) << "the last block";
  EXPECT_TRUE(ten.force_unit_access);
  EXPECT_EQ(ten.data_bytes, 512U);
  const Request all = request_of({0x35, 0, 0, 0, 0, 100, 0, 0, 0, 0}, capacity);
  EXPECT_EQ(all.blocks, 2060U) << "a length of 0: to the end";
  EXPECT_EQ(request_of({0x28, 0, 0, 0, 0, 0, 1, 0, 1, 0}, capacity).validity, Validity::kUnsure);
  EXPECT_EQ(request_of({0x1B, 1, 0, 0, 1, 0}, capacity).operation, Operation::kStart);
}

}  // namespace
}  // namespace headstack::fuzz
