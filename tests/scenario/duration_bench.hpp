// SPDX-License-Identifier: Apache-2.0
/// @file
/// The fixture of scenarios with command duration limits: pages, commands that name a descriptor,
/// and the log pages that count their results.
#pragma once

#include <algorithm>

#include "tests/scenario/fault_bench.hpp"

namespace headstack::scenario {

constexpr std::uint8_t kT2A = 0x07, kT2B = 0x08;
constexpr std::uint8_t kEarliest = 0, kNextLimit = 1, kNoLimit = 2, kUnavailable = 0xD,
                       kAbortRecovery = 0xE, kAbort = 0xF;
constexpr std::uint8_t kMicroseconds = 0x8;
constexpr std::uint32_t kNever = 0;

/// Limits of one descriptor, in microseconds.
struct Limits {
  std::uint16_t inactive = kNever, active = kNever, total = kNever;
  std::uint8_t inactive_policy = kAbort, active_policy = kAbort, total_policy = kAbort;
};
inline Limits inactive(std::uint16_t us, std::uint8_t policy = kAbort) {
  Limits limits;
  limits.inactive = us;
  limits.inactive_policy = policy;
  return limits;
}
inline Limits active(std::uint16_t us, std::uint8_t policy = kAbort) {
  Limits limits;
  limits.active = us;
  limits.active_policy = policy;
  return limits;
}
inline Limits total(std::uint16_t us, std::uint8_t policy = kAbort) {
  Limits limits;
  limits.total = us;
  limits.total_policy = policy;
  return limits;
}

/// A page with these descriptors, from the first on.
inline Bytes limits_page(std::uint8_t subpage, const std::vector<Limits>& descriptors) {
  Bytes page(232);
  page[0] = 0x4A;
  page[1] = subpage;
  page[3] = 0xE4;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    const Limits& limits = descriptors[i];
    const std::size_t at = 8 + 32 * i;
    const auto put = [&](std::size_t byte, std::uint16_t value) {
      page[at + byte] = static_cast<std::uint8_t>(value >> 8U);
      page[at + byte + 1] = static_cast<std::uint8_t>(value & 0xFFU);
    };
    page[at] = kMicroseconds;
    put(2, limits.inactive);
    put(4, limits.active);
    page[at + 6] = static_cast<std::uint8_t>(limits.inactive_policy << 4U | limits.active_policy);
    put(10, limits.total);
    page[at + 14] = limits.total_policy;
  }
  return page;
}

/// The command names descriptor `number` in its CDB (SBC-4).
inline Command limited(Command command, std::uint8_t number = 1) {
  command.cdb[1] = static_cast<std::uint8_t>(command.cdb[1] | number >> 2U);
  command.cdb[14] = static_cast<std::uint8_t>((number & 3U) << 6U);
  return command;
}

class DurationLimits : public FaultBench {
 protected:
  void set_limits(std::uint8_t subpage, const std::vector<Limits>& descriptors,
                  std::size_t host = 0) {
    ASSERT_EQ(run(mode_select_10(limits_page(subpage, descriptors)), host), "GOOD");
  }
  void set_cache(std::uint8_t flags) {
    CachePage page;
    page.flags = flags;
    page.segments = 1;
    page.segment_blocks = 128;
    ASSERT_EQ(run(mode_select_6(caching_page(page))), "GOOD");
  }
  /// A read that keeps the media busy for two revolutions.
  Ticket submit_long_read(std::uint16_t tag) {
    prepare(0, 40);
    const Ticket ticket = submit(tagged(read_10(0, 40), tag));
    run_until([&] { return host().waiting_count() == 0; }, kPatience, kMicrosecond);
    return ticket;
  }
  /// LOG SENSE of page 19h/21h or 30h: the counters of a descriptor that are not 0: "0=1 2=3".
  std::string counters(std::uint8_t page, std::uint8_t subpage, std::uint8_t subpage_of_limits,
                       std::uint8_t number = 1, std::size_t host = 0) {
    Command command = log_sense(page, 1, 0, 1024);
    command.cdb[3] = subpage;
    const Completion done = execute(command, host);
    EXPECT_EQ(outcome(done), "GOOD");
    const std::uint32_t code = (subpage_of_limits == kT2A ? 0x10U : 0x20U) + number;
    std::string text;
    for (std::size_t at = 4; at + 36 <= done.data.size(); at += 36) {
      if (big_endian(done.data, at, 2) != code) continue;
      for (std::size_t i = 0; i < 8; ++i) {
        const auto value = big_endian(done.data, at + 4 + 4 * i, 4);
        if (value == 0) continue;
        text += (text.empty() ? "" : " ") + std::to_string(i) + "=" + std::to_string(value);
      }
    }
    return text;
  }
  std::string passed(std::uint8_t subpage, std::uint8_t number = 1, std::size_t host = 0) {
    return counters(0x19, 0x21, subpage, number, host);
  }
  std::string what_was_done(std::uint8_t subpage, std::uint8_t number = 1, std::size_t host = 0) {
    return counters(0x30, 0, subpage, number, host);
  }
  /// LOG SELECT with PCR, for all log pages. Other hosts get a unit attention.
  void clear_counters(std::size_t host = 0) { ASSERT_EQ(run(log_select_reset(), host), "GOOD"); }
  /// Expects that the command ended by a limit of `us`: not before it, and at most `slack` after
  /// it.
  void expect_ended_at(const Completion& done, std::uint32_t us, Picoseconds slack) {
    EXPECT_GE(service_time(done), us * kMicrosecond);
    EXPECT_LE(service_time(done), us * kMicrosecond + slack);
  }
  /// Time that the drive needs to report it: some events, arbitration, reselection.
  static constexpr Picoseconds kToTell = 150 * kMicrosecond;
  static constexpr Picoseconds kSector = kMillisecond / 2;
};

}  // namespace headstack::scenario
