// SPDX-License-Identifier: Apache-2.0
// The observers of a run besides its records: timeline, ledger of events, profile, waves, debugger.
//
// All of them only observe. Most look into a core, and so need one that executes the program: on
// `native` there is only the timeline, with fewer tracks. Waves show the electronics, and so need
// `rtl`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/debug/debugging.hpp"
#include "host/observe/access_log.hpp"
#include "host/observe/drive_probe.hpp"
#include "host/observe/electronics.hpp"
#include "host/observe/event_ledger.hpp"
#include "host/observe/events_behind_cycles.hpp"
#include "host/observe/firmware_profile.hpp"
#include "host/observe/run_observer.hpp"
#include "host/observe/timeline.hpp"
#include "host/run/options.hpp"
#include "host/session/session_options.hpp"
#include "host/wave/wave_recorder.hpp"

namespace headstack::run {

class Inspection {
 public:
  /// Both references must stay valid as long as this object.
  Inspection(const RunOptions& options, observe::RunObservers& observers)
      : options_(options), observers_(observers) {}

  /// Called when the run begins, and may make files. `title` names the run. Throws
  /// std::runtime_error when a file cannot be made.
  void begin(const std::string& title);

  /// Called after begin(), before simulated time passes. All arguments must outlive the run.
  /// `electronics` may be null. `ring` is there when the options ask for snapshots. `interrupted`
  /// returns whether a signal asks the run to end. `pause_at` is Session::pause_at().
  void attach(const observe::CoreView& core, const observe::Electronics* electronics,
              debug::SnapshotRing* ring, bool (*interrupted)(),
              std::function<void(Picoseconds)> pause_at);

  /// The action of Session::on_pause().
  void pause();

  /// Called when the run is over. A user with a debugger may then look once more, or go back in
  /// time. Going back does not return.
  void hold(int exit_status);

  /// Repeats the run in another process (observe.post_mortem), with waves from the last snapshot
  /// before `time` on. This process ends when that one does. The call returns in the process that
  /// repeats the run, and where there is no snapshot.
  void record_from(Picoseconds time, const std::string& file);
  bool recorded() const;

  /// Writes what has been recorded to the files, in whole lines and packets. Throws
  /// output::OutputError.
  void flush();
  /// Sentences about requested output that is missing, or could not be written.
  struct Findings {
    std::vector<std::string> warnings;
    std::vector<std::string> errors;
  };
  /// Ends the observation. The run ended at time `at`, with `commands` commands.
  Findings finish(Picoseconds at, std::uint64_t commands);

 private:
  void record_waves(const observe::CoreView& core, const observe::Electronics& electronics);

  const RunOptions& options_;
  observe::RunObservers& observers_;
  observe::EventsBehindCycles behind_cycles_;
  std::optional<observe::Timeline> timeline_;
  std::optional<observe::EventLedger> ledger_;
  std::optional<observe::AccessLog> accesses_;
  std::optional<observe::FirmwareProfile> profile_;
  std::optional<observe::DriveProbe> probe_;
  std::optional<observe::ElectronicsTimeline> electronics_timeline_;
  std::optional<wave::WaveRecorder> waves_;
  std::optional<debug::Debugging> debugging_;
};

}  // namespace headstack::run
