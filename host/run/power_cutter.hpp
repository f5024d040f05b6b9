// --power-cut: takes the power of a run's drive at its moment.
#pragma once

#include <optional>
#include <string>

#include "host/observe/run_observer.hpp"
#include "host/options/power_cut.hpp"
#include "host/session/session.hpp"

namespace headstack::run {

class PowerCutter : public observe::RunObserver {
 public:
  /// `word` as --power-cut has it; "": never.
  explicit PowerCutter(const std::string& word);

  /// Before time passes.
  void arm(session::Session& session);
  /// Goes on up to a time, or to the cut.
  void run_until(Picoseconds time);

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void command_completed(Picoseconds at, std::uint16_t tag,
                         const report::CommandRecord& record) override;

 private:
  void count(options::PowerCut::Kind kind);

  std::optional<options::PowerCut> cut_;
  std::uint64_t counted_ = 0;
  session::Session* session_ = nullptr;
};

}  // namespace headstack::run
