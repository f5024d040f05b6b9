// SPDX-License-Identifier: Apache-2.0
// faults.power_cut: cuts the power of a run's drive at the given moment.
#pragma once

#include <optional>
#include <string>

#include "host/observe/run_observer.hpp"
#include "host/options/power_cut.hpp"
#include "host/session/session.hpp"

namespace headstack::run {

class PowerCutter : public observe::RunObserver {
 public:
  /// `word` is the value of faults.power_cut; "": never.
  explicit PowerCutter(const std::string& word);

  /// Called before time passes.
  void arm(session::Session& session);
  /// Runs the session up to `time`, and further if a cut is imminent.
  void run_until(Picoseconds time);

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void command_completed(Picoseconds at, std::uint16_t tag,
                         const report::CommandRecord& record) override;

 private:
  bool is_due(options::PowerCut::Kind kind);

  std::optional<options::PowerCut> cut_;
  std::uint64_t counted_ = 0;
  session::Session* session_ = nullptr;
};

}  // namespace headstack::run
