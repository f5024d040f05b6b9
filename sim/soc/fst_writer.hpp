// SPDX-License-Identifier: Apache-2.0
/// @file
/// One FST file: every signal of a Verilated model, and WaveSignals beside them. It includes
/// Verilator's headers, so only the inspecting build includes this file.
#pragma once

#include <memory>
#include <string>
#include <vector>
#include <verilated_fst_c.h>

#include "sim/soc/wave_signals.hpp"
#include "sim/units.hpp"

namespace headstack::soc {

/// Declares and writes WaveSignals, at the calls of Verilator's trace.
class FstSignals {
 public:
  explicit FstSignals(const WaveSignals& signals) : signals_(signals) {}

  /// `trace` must not be open yet, and must not outlive this object.
  void join(VerilatedFst& trace);

 private:
  static void declare(void* self, VerilatedFst* trace, std::uint32_t first_code);
  static void write_all(void* self, VerilatedFst::Buffer* buffer);
  static void write_changes(void* self, VerilatedFst::Buffer* buffer);
  void declare(VerilatedFst& trace, std::uint32_t first_code);
  void declare_names(VerilatedFst& trace, const WaveSignal& signal, int type) const;

  const WaveSignals& signals_;
  std::vector<std::uint32_t> codes_;  // code of each signal in Verilator's store of old values
};

class FstWriter {
 public:
  /// `beside` may be null. Throws std::runtime_error when the file cannot be made.
  template <class Model>
  FstWriter(Model& model, const std::string& path, const WaveSignals* beside) {
    fst_.set_time_unit("1ps");
    fst_.set_time_resolution("1ps");
    constexpr int kAllLevels = 99;
    model.trace(&fst_, kAllLevels);
    if (beside != nullptr) {
      beside_ = std::make_unique<FstSignals>(*beside);
      beside_->join(*fst_.spTrace());
    }
    open(path);
  }
  /// Closes the file.
  ~FstWriter() = default;
  FstWriter(const FstWriter&) = delete;
  FstWriter& operator=(const FstWriter&) = delete;

  /// Writes the changes since the last time, with time `at`, which must be later.
  void write(Picoseconds at) { fst_.dump(static_cast<std::uint64_t>(at)); }
  /// Data written so far goes into the file with the next write().
  void flush() { fst_.flush(); }
  /// Leaves the file as it is, in spite of later calls by the destructor, exit() or Verilator. It
  /// is for a process that was forked while the file was open, and that does not own it.
  void abandon();

 private:
  void open(const std::string& path);

  std::unique_ptr<FstSignals> beside_;  // must precede fst_, which calls it
  VerilatedFstC fst_;
  std::vector<int> descriptors_;  // file descriptors of the writer
};

}  // namespace headstack::soc
