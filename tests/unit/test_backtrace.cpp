// SPDX-License-Identifier: Apache-2.0
// Backtraces by call frame information that is written here by hand (DWARF 4, 6.4 and 7.23).
#include "host/observe/backtrace.hpp"

#include <gtest/gtest.h>

#include <map>

namespace headstack::observe {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put(Bytes& bytes, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

/// An entry with its length, filled up with DW_CFA_nop.
void put_entry(Bytes& section, Bytes entry) {
  while (entry.size() % 4 != 0) entry.push_back(0);
  put(section, static_cast<std::uint32_t>(entry.size()));
  section.insert(section.end(), entry.begin(), entry.end());
}

/// Version 3, factors 1 and -4, return address in register 1; the frame is at sp.
Bytes section_with_cie() {
  Bytes cie;
  put(cie, 0xFFFF'FFFF);
  for (const int byte : {3, 0, 1, 0x7C, 1, 0x0D, 2}) cie.push_back(static_cast<std::uint8_t>(byte));
  Bytes section;
  put_entry(section, cie);
  return section;
}

void put_function(Bytes& section, std::uint32_t begin, std::uint32_t size, const Bytes& rules) {
  Bytes fde;
  put(fde, 0);  // the CIE's place
  put(fde, begin);
  put(fde, size);
  fde.insert(fde.end(), rules.begin(), rules.end());
  put_entry(section, fde);
}

/// At 2 bytes into it the frame of 32 bytes is taken; at 4 bytes ra is stored at its end.
const Bytes kWithFrame = {0x42, 0x0E, 32, 0x42, 0x81, 1};

class Backtrace : public testing::Test {
 protected:
  std::vector<std::uint32_t> places(std::uint32_t pc, std::uint32_t sp, std::uint32_t ra,
                                    std::size_t most = 32) {
    std::vector<std::uint32_t> found;
    const auto word_at = [this](std::uint32_t address) -> std::optional<std::uint32_t> {
      const auto word = ram_.find(address);
      return word == ram_.end() ? std::nullopt : std::optional(word->second);
    };
    for (const Frame& frame : Unwinder(section_).frames(pc, sp, ra, word_at, most)) {
      found.push_back(frame.pc);
    }
    return found;
  }
  using Places = std::vector<std::uint32_t>;

  Bytes section_ = section_with_cie();
  std::map<std::uint32_t, std::uint32_t> ram_;
};

TEST_F(Backtrace, GoesByTheRowsOfEachFunction) {
  put_function(section_, 0x1000, 0x100, kWithFrame);
  put_function(section_, 0x2000, 0x100, kWithFrame);
  ram_[0x8000 + 28] = 0x2050;       // of the first frame: it returns into the second function
  ram_[0x8000 + 32 + 28] = 0x3010;  // of the second: to where nothing is known
  EXPECT_EQ(places(0x1010, 0x8000, 0xBAD), (Places{0x1010, 0x2050, 0x3010}));
}

// Before each row's instruction the earlier rules apply.
TEST_F(Backtrace, BeforeTheFrameIsThere_TheCallerIsInRa) {
  put_function(section_, 0x1000, 0x100, kWithFrame);
  put_function(section_, 0x2000, 0x100, kWithFrame);
  ram_[0x8000 + 28] = 0x3010;
  ram_[0x8020 + 28] = 0x3020;
  for (const std::uint32_t pc : {0x1000, 0x1001}) {
    EXPECT_EQ(places(pc, 0x8000, 0x2050), (Places{pc, 0x2050, 0x3010})) << "no frame";
  }
  for (const std::uint32_t pc : {0x1002, 0x1003}) {
    EXPECT_EQ(places(pc, 0x8000, 0x2050), (Places{pc, 0x2050, 0x3020})) << "not stored yet";
  }
}

TEST_F(Backtrace, CallAtAFunctionsEnd_IsOfThatFunction) {
  put_function(section_, 0x1000, 0x100, kWithFrame);
  put_function(section_, 0x2000, 0x100, kWithFrame);
  put_function(section_, 0x2100, 0x100, {});
  ram_[0x8000 + 28] = 0x2100;  // the instruction after the last one of 0x2000
  ram_[0x8020 + 28] = 0x3010;
  EXPECT_EQ(places(0x1010, 0x8000, 0), (Places{0x1010, 0x2100, 0x3010}));
}

TEST_F(Backtrace, JumpToNowhere_HasTheCallerInRa) {
  put_function(section_, 0x2000, 0x100, kWithFrame);
  ram_[0x8000 + 28] = 0x3010;
  EXPECT_EQ(places(0x5000'1000, 0x8000, 0x2050), (Places{0x5000'1000, 0x2050, 0x3010}));
}

TEST_F(Backtrace, RememberedRows_ComeBack) {
  // remember; the frame is given back; after 4 bytes more it is there again.
  put_function(section_, 0x1000, 0x100,
               {0x42, 0x0E, 32, 0x81, 1, 0x42, 0x0A, 0xC1, 0x0E, 0, 0x44, 0x0B});
  ram_[0x8000 + 28] = 0x3010;
  EXPECT_EQ(places(0x1003, 0x8000, 0x2222), (Places{0x1003, 0x3010}));
  EXPECT_EQ(places(0x1004, 0x8000, 0x2222), (Places{0x1004, 0x2222}));
  EXPECT_EQ(places(0x1008, 0x8000, 0x2222), (Places{0x1008, 0x3010}));
}

TEST_F(Backtrace, EndsAtTheLimit_AndOutsideOfRam) {
  put_function(section_, 0x1000, 0x100, kWithFrame);
  for (std::uint32_t sp = 0x8000; sp < 0x9000; sp += 32) ram_[sp + 28] = 0x1050;
  EXPECT_EQ(places(0x1010, 0x8000, 0, 5).size(), 5U) << "a function that calls itself";
  ram_.clear();
  EXPECT_EQ(places(0x1010, 0x8000, 0), Places{0x1010});
}

// A file may be damaged: any byte, and any length.
TEST_F(Backtrace, DamagedInformation_EndsIt) {
  put_function(section_, 0x1000, 0x100, kWithFrame);
  ram_[0x8000 + 28] = 0x1050;
  const Bytes whole = section_;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 0x7F, 0x80, 0xFF}) {
      section_ = whole;
      section_[at] = static_cast<std::uint8_t>(value);
      EXPECT_LE(places(0x1010, 0x8000, 0x1070).size(), 32U);
    }
    section_.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_GE(places(0x1010, 0x8000, 0x1070).size(), 1U);
  }
}

}  // namespace
}  // namespace headstack::observe
