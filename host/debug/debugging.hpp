// SPDX-License-Identifier: Apache-2.0
// The additional parts of a run with a debugger or with snapshots.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "host/debug/debug_server.hpp"
#include "host/debug/snapshot_ring.hpp"
#include "host/observe/drive_probe.hpp"
#include "host/observe/electronics.hpp"
#include "host/observe/queue_view.hpp"

namespace headstack::debug {

/// Options of a run that may be stopped and go back.
struct DebugOptions {
  std::string out;                          // the run's folder (output/run_folder.hpp)
  std::string firmware;                     // ELF file that the drive's core executes
  std::string gdb;                          // rtl, vp: address for GDB; "": no debugger
  std::string run_until;                    // where the run waits for a debugger; "": at the
                                            // beginning
  std::optional<double> snapshot_every_ms;  // rtl, vp: simulated time between snapshots; 0: a
                                            // single one at the beginning
  std::uint32_t snapshots = 16;             // most snapshots kept
  bool post_mortem = false;                 // rtl: keeps waves of the time before a failure
};

/// The value of DebugOptions::gdb for a socket in the run's own folder.
constexpr const char* kOwnSocket = "unix";

/// Whether the options need snapshots. Such a run must be called in SnapshotRing::host().
bool wants_snapshots(const DebugOptions& options);

/// Throws AddressError if GDB cannot connect at the address of --gdb. Leaves no file.
void require_address(const DebugOptions& options);

class Debugging {
 public:
  /// The parts that a debugger uses.
  struct Access {
    const observe::DriveProbe& probe;
    SnapshotRing& ring;
    wave::WaveControl* waves = nullptr;         // null: there are no waves
    bool (*interrupted)() = nullptr;            // whether a signal asks the run to end
    std::function<void(Picoseconds)> pause_at;  // sets the time at which server().pause() is called
  };

  /// All arguments must outlive this object. Throws AddressError.
  Debugging(const DebugOptions& options, const observe::CoreView& core, const Access& access);

  /// The server, which must be added to the run's observers and to the watchers of its core.
  DebugServer& server() { return server_; }

  /// These functions are DebugServer's.
  void record_from(std::uint64_t edge, const std::string& file) { server_.record_from(edge, file); }
  bool recorded() const { return server_.recorded(); }
  void run_over(int exit_status) { server_.run_over(exit_status); }

 private:
  observe::QueueView queue_;
  DebugServer server_;
};

}  // namespace headstack::debug
