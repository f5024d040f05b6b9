// Whoever looks at a run beside its records: timeline, ledger of events, profile, waves, a
// debugger.
//
// All of them only observe. What looks into a core needs one that executes the program: `native`
// has the timeline alone, with fewer tracks. Waves are of the electronics, `rtl`'s.
#pragma once

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

/// How closely the options ask to look at the core.
session::Look look_of(const RunOptions& options);

class Inspection {
 public:
  /// `title` names the run. Adds to `observers` before the run's platform is made. Both must
  /// outlive this. Throws std::runtime_error when a file cannot be made.
  Inspection(const RunOptions& options, const std::string& title, observe::RunObservers& observers);

  /// Before the world goes on; what there is must outlive the run. `electronics` may be null;
  /// `ring` is there when the options ask for snapshots; `interrupted` tells whether a signal asks
  /// the run to end.
  void attach(const observe::CoreView& core, const observe::Electronics* electronics,
              debug::SnapshotRing* ring, bool (*interrupted)());

  /// The run is over: who debugs it may look once more, and go back, which does not return.
  void hold(int exit_status);

  /// With --post-mortem: this process ends, and the run is repeated with waves from the last
  /// snapshot before `time` on. Returns when that is what this process did, or there is none.
  void record_from(Picoseconds time, const std::string& file);
  bool recorded() const;

  /// Whole lines and packets of what was told so far, in the files. Throws output::OutputError.
  void flush();
  /// Sentences on what was asked for: it did not come, or could not be written.
  struct Findings {
    std::vector<std::string> warnings;
    std::vector<std::string> errors;
  };
  /// The run is over at `at`, with so many commands.
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
