/// @file
/// Which unit attentions each host may hear of, and which one it must hear of first (SCSI-2 7.9,
/// SPC-2 7.6).
#pragma once

#include <array>
#include <cstdint>

#include "tests/fuzz/drive/block_model.hpp"

namespace headstack::fuzz {

enum class Attention : std::uint8_t { kPowerOn, kBusReset, kDeviceReset, kModes, kCleared, kCount };

class Attentions {
 public:
  static constexpr std::size_t kHosts = 4;

  Attentions();

  /// What raises it for the others happens, or may happen, at this time. When that is not known to
  /// the moment, it is said of the first and of the last that it may be.
  void raise_for_others(std::size_t host, Attention attention, Picoseconds at);
  void raise_for_all(Attention attention, Picoseconds at) {
    raise_for_others(kHosts, attention, at);
  }
  /// A reset has happened: everybody must hear of it.
  void reset_happened(Picoseconds at) { reset_at_.fill(at); }

  /// The host was told ASC and ASCQ with key 6h: what the drive knew at some time from `first` to
  /// `last`, with the status or with the sense data. False: there was no reason.
  bool report(std::size_t host, std::uint8_t asc, std::uint8_t ascq, Picoseconds first,
              Picoseconds last);
  /// It may have been told then, in a way that got lost.
  void may_have_reported(std::size_t host, Picoseconds at);

  /// A reset happened then, and the host has not heard of it; kOpen: there is none.
  Picoseconds unheard_reset(std::size_t host) const { return reset_at_[host]; }

 private:
  static constexpr std::size_t kCount = static_cast<std::size_t>(Attention::kCount);

  std::array<std::array<Picoseconds, kCount>, kHosts> raised_at_{};  // kOpen: it is not
  std::array<Picoseconds, kHosts> reset_at_{};
};

}  // namespace headstack::fuzz
