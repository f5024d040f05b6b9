// SPDX-License-Identifier: Apache-2.0
// The options of `headstack run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/debug/debugging.hpp"
#include "host/replay/replay_options.hpp"
#include "host/run/torture.hpp"
#include "host/scenario/scenario.hpp"
#include "sim/description/description.hpp"

namespace headstack::run {

struct RunOptions : replay::ReplayOptions, debug::DebugOptions {
  std::vector<std::string> words;             // words of the command line
  std::string drive_over;                     // TOML laid over the drive's file; "": none
  std::string platform = "vp";                // name of the platform: vp, rtl or native
  double watchdog_s = 30;                     // simulated time without a completed command; 0: no
                                              // limit
  bool gating = true;                         // rtl: clocks of idle blocks are gated
  std::optional<std::uint32_t> access_price;  // native: in cycles; default:
                                              // NativeCore::kAccessPrice
  std::string reference;                      // native: a scheduler of host/reference; "": none
  std::string bus = "fast-wide";              // text parsed by bus_option.hpp
  bool force = false;                         // replaces an existing run
  std::string wave;                           // FST file of electronics and drive; "": none
  std::vector<std::string> wave_windows;      // texts parsed by wave_window.hpp
  std::vector<std::string> wave_triggers;     // texts parsed by wave_window.hpp
  std::string wave_after = "10ms";            // length of a recording that an event starts
  std::vector<std::string> fail_on;           // texts parsed by failure_limit.hpp
  scenario::Records records = scenario::Records::kFull;
  std::optional<Picoseconds> stop_at;          // simulated time at which the run ends
  bool timeline = false;                       // writes a Perfetto trace
  bool event_log = false;                      // writes every event of the firmware
  bool access_log = false;                     // writes accesses to registers and sector buffer
  bool event_ledger = false;                   // writes what the core did between events
  bool profile = false;                        // writes the firmware's cycles by function
  std::string media;                           // a file that keeps the media's content; "": none
  std::string power_cut;                       // text parsed by power_cut.hpp; "": none
  std::optional<drive::PowerLoss> power_loss;  // fate of the sector being written; default: the
                                               // specimen's
  std::optional<std::uint64_t> power_again;    // a second cut: PowerJudgement::again
  std::string scenario;                        // the scenario in its canonical form
  bool has_file = false;                       // `words` name a file with a scenario
  bool is_torture = false;
  bool cuts_again = true;  // torture: cuts the power again after the restart
  TortureOptions torture;
};

}  // namespace headstack::run
