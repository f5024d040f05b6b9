// SPDX-License-Identifier: Apache-2.0
/// @file
/// The unit attentions that each host may receive, and the one that it must receive first (SCSI-2
/// 7.9, SPC-2 7.6).
///
/// A cause raises an attention once, at some time between its beginning (a MODE SELECT is sent) and
/// its end (its status has come). Each report needs a cause that may have happened since the host's
/// last report. A report covers all causes that were over by then.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/fuzz/drive/block_model.hpp"
#include "tests/fuzz/drive/storyline.hpp"

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
  static constexpr std::size_t kHosts = kHostsMax;
  /// A host number that excludes no host.
  static constexpr std::size_t kNobody = kHosts;

  /// A cause of `attention` for all hosts but `host` may happen once from now on. `by` names the
  /// cause.
  void begin(const void* by, Attention attention, std::size_t host, Picoseconds at);
  /// As begin(), any number of times.
  void begin_many(const void* by, Attention attention, std::size_t host, Picoseconds at);
  /// All causes of this name are over by `at`. None: nothing happens.
  void end(const void* by, Picoseconds at);
  /// The cause of this name has not happened: its command was refused.
  void cancel(const void* by);
  /// The attention is raised now.
  void raise(Attention attention, std::size_t host, Picoseconds at);
  /// A reset with cause `by` is done (null: one that happened just now). Every host without a
  /// report since the cause began must get one.
  void reset_happened(const void* by, Picoseconds at);

  /// The host received ASC and ASCQ with key 6h. They show the drive's state at some time from
  /// `first` to `last`, with the status or with the sense data. False: there was no cause.
  bool report(std::size_t host, std::uint8_t asc, std::uint8_t ascq, Picoseconds first,
              Picoseconds last);
  /// The host may have received a report at `at` that was lost.
  void may_have_reported(std::size_t host, Picoseconds at);

  /// Time of a reset that was not reported to the host; kOpen: there is none.
  Picoseconds unheard_reset(std::size_t host) const { return reset_at_[host]; }

 private:
  static std::array<Picoseconds, kHosts> never() {
    std::array<Picoseconds, kHosts> times{};
    times.fill(kOpen);
    return times;
  }

  struct Cause {
    const void* by = nullptr;
    Attention attention = Attention::kPowerOn;
    Picoseconds begin = 0;
    Picoseconds end = kOpen;
    bool many = false;
    std::array<bool, kHosts> may_tell{};
  };

  /// A report by one of several open causes: the first of them that ends counts as used.
  struct Debt {
    std::size_t host = 0;
    std::uint16_t code = 0;
    Picoseconds at = 0;
  };

  void add(const void* by, Attention attention, std::size_t host, Picoseconds at, bool many);
  /// Whether a cause may explain a report of this code to this host by time `last`.
  static bool may_explain(const Cause& cause, std::size_t host, std::uint16_t code,
                          Picoseconds last);
  /// The first to end of the causes that are over.
  Cause* find_ended(std::size_t host, std::uint16_t code, Picoseconds last);
  /// Whether an open cause explains one more report.
  bool borrow(std::size_t host, std::uint16_t code, Picoseconds last);
  void pay(Cause* cause);

  std::vector<Cause> causes_;
  std::vector<Debt> debts_;
  std::array<Picoseconds, kHosts> told_at_{};  // last possible time of a report of a reset
  std::array<Picoseconds, kHosts> reset_at_ = never();
};

}  // namespace headstack::fuzz
