// SPDX-License-Identifier: Apache-2.0
/// @file
/// Signals that other modules put into the SoC's wave file: their declarations and present values.
/// This is plain data: a module sets its values, and the writer of the file reads them
/// (fst_writer.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headstack::soc {

/// Names for values, shown in place of the numbers.
struct WaveNames {
  std::string type;  // unique in the file
  std::vector<std::pair<std::uint64_t, std::string>> names;
};

struct WaveSignal {
  std::string scope;  // place of the signal, such as "drive.arm"
  std::string name;
  unsigned bits = 1;  // 1 .. 64; kReal for a real number
  WaveNames names;    // empty: shown as numbers

  static constexpr unsigned kReal = 0;
};

class WaveSignals {
 public:
  /// Number of a signal, for set().
  using Index = std::size_t;

  Index add(WaveSignal signal) {
    signals_.push_back(std::move(signal));
    values_.emplace_back();
    return signals_.size() - 1;
  }
  /// A value that does not fit is truncated to the signal's bits.
  void set(Index signal, std::uint64_t value) {
    const unsigned bits = signals_[signal].bits;
    values_[signal].bits = bits < 64 ? value & ((std::uint64_t{1} << bits) - 1) : value;
  }
  void set_real(Index signal, double value) { values_[signal].real = value; }

  const std::vector<WaveSignal>& signals() const { return signals_; }
  std::uint64_t bits(Index signal) const { return values_[signal].bits; }
  double real(Index signal) const { return values_[signal].real; }

 private:
  struct Value {
    std::uint64_t bits = 0;
    double real = 0;
  };
  std::vector<WaveSignal> signals_;
  std::vector<Value> values_;
};

}  // namespace headstack::soc
