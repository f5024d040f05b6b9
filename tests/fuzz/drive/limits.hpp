// SPDX-License-Identifier: Apache-2.0
/// @file
/// Duration limits that hosts have sent (SPC-5: pages T2A and T2B), and when a command may, and
/// must, end by them.
///
/// Limits may be in force as soon as a host sends them. They certainly are after a MODE SELECT that
/// ended GOOD without another beside it, until a reset of the drive or the host's next one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/bus/never.hpp"
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// Number of descriptors of a page.
constexpr std::size_t kLimitDescriptors = 7;

struct LimitDescriptor {
  Picoseconds inactive = 0, active = 0, total = 0;  // 0: no limit
  std::uint8_t inactive_policy = 0, active_policy = 0, total_policy = 0;
};
using LimitPage = std::array<LimitDescriptor, kLimitDescriptors>;

/// The shortest time after its arrival in which a command may end in each of these ways; nothing:
/// never.
struct LimitEnds {
  std::optional<Picoseconds> abort;           // before or during its processing
  std::optional<Picoseconds> recovery_abort;  // B/2E/03, while an error is recovered
  std::optional<Picoseconds> unavailable;     // GOOD with incomplete data
};

/// Page 07h (T2A) or 08h (T2B) in a MODE SELECT's parameter list; nothing if it has none.
std::optional<LimitPage> limit_page_of(const Bytes& list, std::size_t header_bytes,
                                       std::uint8_t subpage);

/// One host's page for reads, or for writes.
class Limits {
 public:
  /// A MODE SELECT with this page was sent, or has ended.
  void sent(const LimitPage& page);
  void ended(const LimitPage& page, bool good);
  /// The MODE SELECT was refused, so the earlier limits stay.
  void refused();
  /// The drive was reset, or may have been.
  void forget() {
    certain_.reset();
    before_.reset();
    ++version_;
  }

  /// The shortest time after its arrival in which any limit ever sent may end a command; nothing:
  /// never.
  std::optional<Picoseconds> soonest_abort() const { return soonest_abort_; }
  std::optional<Picoseconds> soonest_unavailable() const { return soonest_unavailable_; }
  /// The total time limit of a command with this descriptor. After it the command can no longer end
  /// GOOD, nor fail for a reason that begins later. Nothing: the limit is not certain.
  std::optional<Picoseconds> latest(std::uint8_t descriptor) const;

  /// How a command that arrives now may be ended by this descriptor, or by those that follow it.
  /// Nothing: the page is not certain. A page that the host sends meanwhile may change the
  /// following ones: version() then differs.
  std::optional<LimitEnds> ends(std::uint8_t descriptor) const;
  /// Counts possible changes of the limits in force.
  std::uint32_t version() const { return version_; }

 private:
  void note(Picoseconds limit, std::uint8_t policy);

  std::uint32_t version_ = 0;
  std::uint32_t out_ = 0;  // outstanding MODE SELECTs of limits
  bool was_alone_ = true;
  std::optional<LimitPage> certain_;
  std::optional<LimitPage> before_;  // the MODE SELECT that is outstanding
  std::optional<Picoseconds> soonest_abort_, soonest_unavailable_;
};

}  // namespace headstack::fuzz
