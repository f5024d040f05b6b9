// Transfer agreements and the messages that make them: WDTR and SDTR (SCSI-2 6.6.23, 6.6.21).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/units.hpp"

namespace headstack::initiator {

/// How data phases run between an initiator and a target. Offset 0 is asynchronous.
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
/// The initiator opens: WDTR first, because it ends any synchronous agreement, then SDTR. It
/// answers a target that opens. What nobody agreed to is asynchronous and narrow.
class Negotiator {
 public:
  explicit Negotiator(Agreement wanted) : wanted_(wanted) {}

  /// The next connection negotiates; the agreement in force lasts until then. Not if there is
  /// nothing to agree to: neither side has anything but asynchronous and narrow.
  void require() { needed_ = !(wanted_ == kAsynchronous) || !(agreement_ == kAsynchronous); }
  /// A hard reset: nothing is agreed to any more.
  void forget();

  /// The message that opens a negotiation, empty when there is nothing to negotiate.
  Message open();
  /// A WDTR or SDTR from the target: what to send next, empty for nothing. `rejected` is set when
  /// the message asks for more than was offered and MESSAGE REJECT is due.
  Message take_width(std::uint8_t exponent, bool* rejected);
  Message take_synchronous(std::uint8_t period_factor, std::uint8_t offset, bool* rejected);
  /// A WDTR or SDTR that answers one which the host sent by itself, past this negotiation: it is in
  /// force as it is.
  void adopt_width(std::uint8_t exponent);
  void adopt_synchronous(std::uint8_t period_factor, std::uint8_t offset);
  /// The target rejected our WDTR or SDTR: what to send next.
  Message take_reject();
  /// The target went on without an answer: as if it had rejected, but nothing more is sent.
  void abandon();
  /// The bus became free before the answer: what was agreed to before holds, and the next
  /// connection asks again, lest the target has agreed without our hearing of it.
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
