/// @file
/// Which unit attentions each host may hear of, and which one it must hear of first (SCSI-2 7.9,
/// SPC-2 7.6).
///
/// What raises one, a cause, happens once, at some time from its beginning (a MODE SELECT is sent)
/// to its end (its status is there). A report needs a cause of its own: one that may have happened
/// between the host's report before and this one. Causes that were all over by a report are told
/// with it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/fuzz/drive/block_model.hpp"

namespace headstack::fuzz {

enum class Attention : std::uint8_t {
  kPowerOn,
  kBusReset,
  kDeviceReset,
  kModes,
  kCleared,
  kMedium,
  kLogs,
  kCount
};

class Attentions {
 public:
  static constexpr std::size_t kHosts = 4;
  /// Who is told: all.
  static constexpr std::size_t kNobody = kHosts;

  /// What raises it for all but `host` may happen from now on, once. `by` names the cause.
  void begin(const void* by, Attention attention, std::size_t host, Picoseconds at);
  /// As begin(), any number of times.
  void begin_many(const void* by, Attention attention, std::size_t host, Picoseconds at);
  /// All causes of this name are over by `at`. None: nothing happens.
  void end(const void* by, Picoseconds at);
  /// It happens now.
  void raise(Attention attention, std::size_t host, Picoseconds at);
  /// A reset is done, whose cause is `by` (null: one that happened just now): everybody must hear
  /// of it, who was not told since the cause began.
  void reset_happened(const void* by, Picoseconds at);

  /// The host was told ASC and ASCQ with key 6h: what the drive knew at some time from `first` to
  /// `last`, with the status or with the sense data. False: there was no reason.
  bool report(std::size_t host, std::uint8_t asc, std::uint8_t ascq, Picoseconds first,
              Picoseconds last);
  /// It may have been told then, in a way that got lost.
  void may_have_reported(std::size_t host, Picoseconds at);

  /// A reset happened then, and the host has not heard of it; kOpen: there is none.
  Picoseconds unheard_reset(std::size_t host) const { return reset_at_[host]; }

 private:
  struct Cause {
    const void* by = nullptr;
    Attention attention = Attention::kPowerOn;
    Picoseconds begin = 0;
    Picoseconds end = kOpen;
    bool many = false;
    std::array<bool, kHosts> may_tell{};
  };

  /// A report by one of several causes that were open: the first of them to be over pays for it.
  struct Debt {
    std::size_t host = 0;
    std::uint16_t code = 0;
    Picoseconds at = 0;
  };

  void add(const void* by, Attention attention, std::size_t host, Picoseconds at, bool many);
  /// A report of this code to this host, whose time is `last` at the latest.
  static bool may_explain(const Cause& cause, std::size_t host, std::uint16_t code,
                          Picoseconds last);
  /// The cause that was over first, of those that are.
  Cause* find_ended(std::size_t host, std::uint16_t code, Picoseconds last);
  /// Whether a cause that is open explains one more report.
  bool borrow(std::size_t host, std::uint16_t code, Picoseconds last);
  void pay(Cause* cause);

  std::vector<Cause> causes_;
  std::vector<Debt> debts_;
  std::array<Picoseconds, kHosts> told_at_{};  // of a reset, the last time that it may have been
  std::array<Picoseconds, kHosts> reset_at_ = {kOpen, kOpen, kOpen, kOpen};
};

}  // namespace headstack::fuzz
