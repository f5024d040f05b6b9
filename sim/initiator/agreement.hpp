// SPDX-License-Identifier: Apache-2.0
// Transfer agreements and their messages: WDTR and SDTR (SCSI-2 6.6.23, 6.6.21).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/units.hpp"

namespace headstack::initiator {

/// The agreement for data phases between an initiator and a target. Offset 0 is asynchronous.
struct Agreement {
  bool wide = false;
  std::uint8_t period_factor = 0;  // 4 ns units
  std::uint8_t offset = 0;         // REQs ahead of ACKs

  bool synchronous() const { return offset != 0; }
  Picoseconds period_ps() const { return Picoseconds{period_factor} * 4'000; }
  bool operator==(const Agreement& other) const {
    return wide == other.wide && offset == other.offset &&
           (offset == 0 || period_factor == other.period_factor);
  }
};

constexpr std::uint8_t kFast10PeriodFactor = 25;  // 100 ns
constexpr std::uint8_t kDefaultOffset = 15;

inline constexpr Agreement kAsynchronous{};
inline constexpr Agreement kFast10Narrow{false, kFast10PeriodFactor, kDefaultOffset};
inline constexpr Agreement kFast10Wide{true, kFast10PeriodFactor, kDefaultOffset};

using Message = std::vector<std::uint8_t>;

/// One initiator's side of the negotiation with one target.
///
/// The initiator starts: WDTR first, because it ends any synchronous agreement, then SDTR. It also
/// answers a target that starts. Without an agreement, transfers are asynchronous and narrow.
class Negotiator {
 public:
  explicit Negotiator(Agreement wanted) : wanted_(wanted) {}

  /// Makes the next connection negotiate; the present agreement lasts until then. Does nothing if
  /// both the wanted and the present agreement are asynchronous and narrow.
  void require() { needed_ = !(wanted_ == kAsynchronous) || !(agreement_ == kAsynchronous); }
  /// Ends all agreements, as a hard reset requires.
  void forget();

  /// The message that starts a negotiation; empty if none is needed.
  Message open();
  /// Takes a WDTR or SDTR from the target. @return the message to send next, or an empty one.
  /// `rejected` is set if the message asks for more than was offered, so that MESSAGE REJECT is
  /// due.
  Message take_width(std::uint8_t exponent, bool* rejected);
  Message take_synchronous(std::uint8_t period_factor, std::uint8_t offset, bool* rejected);
  /// Takes a WDTR or SDTR that answers a message of the host outside of this negotiation. It takes
  /// effect unchanged.
  void adopt_width(std::uint8_t exponent);
  void adopt_synchronous(std::uint8_t period_factor, std::uint8_t offset);
  /// Handles the target's rejection of a WDTR or SDTR. @return the message to send next.
  Message take_reject();
  /// The target continued without an answer. It counts as a rejection, but no message follows.
  void abandon();
  /// The bus became free before the answer: the old agreement stays in force. The next connection
  /// negotiates again, because the target may have agreed without the initiator's knowledge.
  void cut_off();

  bool under_way() const { return awaiting_ != Awaiting::kNothing; }
  bool needed() const { return needed_; }
  const Agreement& agreement() const { return agreement_; }

 private:
  enum class Awaiting : std::uint8_t { kNothing, kWidth, kSynchronous };

  void finish();
  Message ask_synchronous();

  Agreement wanted_;
  Agreement agreement_;
  bool needed_ = false;
  Awaiting awaiting_ = Awaiting::kNothing;
};

}  // namespace headstack::initiator
