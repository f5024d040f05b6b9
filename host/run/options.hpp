// SPDX-License-Identifier: Apache-2.0
// What `headstack run` is asked to do.
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
  std::vector<std::string> words;             // the command line
  std::string drive_over;                     // TOML, laid over the drive's file; "": nothing
  std::string platform = "vp";                // vp, rtl, native
  double watchdog_s = 30;                     // simulated time without a command's end; 0: for ever
  bool gating = true;                         // rtl
  std::optional<std::uint32_t> access_price;  // native: cycles; default: NativeCore::kAccessPrice
  std::string reference;                      // native: policy of host/reference
  std::string bus = "fast-wide";              // bus_option.hpp
  bool force = false;                         // replace an existing run
  std::string wave;                           // FST of electronics and drive; "": none
  std::vector<std::string> wave_windows;      // when: host/options/wave_window.hpp
  std::vector<std::string> wave_triggers;     // as above
  std::string wave_after = "10ms";            // how long after an event
  std::vector<std::string> fail_on;           // host/options/failure_limit.hpp
  scenario::Records records = scenario::Records::kFull;
  std::optional<Picoseconds> stop_at;          // the run ends at this simulated time
  bool timeline = false;                       // Perfetto trace
  bool event_log = false;                      // every event of the firmware
  bool access_log = false;                     // of registers and sector buffer
  bool event_ledger = false;                   // with what the core did between events
  bool profile = false;                        // firmware's cycles by function
  std::string media;                           // a file that keeps the media's content; "": none
  std::string power_cut;                       // host/options/power_cut.hpp; "": none
  std::optional<drive::PowerLoss> power_loss;  // default: the specimen's
  std::optional<std::uint64_t> power_again;    // with power_cut: PowerJudgement::again
  std::string scenario;                        // in its canonical form
  bool has_file = false;                       // `words` name a scenario's file
  bool is_torture = false;
  bool cuts_again = true;  // torture
  TortureOptions torture;
};

}  // namespace headstack::run
