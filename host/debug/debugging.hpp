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

/// Options of a run that may be stopped, and go back.
struct DebugOptions {
  std::string out;                          // the run's folder: output/run_folder.hpp
  std::string firmware;                     // of the drive's core: an ELF file
  std::string gdb;                          // rtl, vp: address for GDB; "": no debugger
  std::string run_until;                    // where the run waits for a debugger; "": at its
                                            // beginning
  std::optional<double> snapshot_every_ms;  // rtl, vp, simulated time; 0: only one at the beginning
  std::uint32_t snapshots = 16;             // largest number to keep
  bool post_mortem = false;                 // rtl: waves of the time before a failure
};

/// DebugOptions::gdb for a socket in the run's own folder.
constexpr const char* kOwnSocket = "unix";

/// Whether the options need snapshots: then call the run in SnapshotRing::host().
bool wants_snapshots(const DebugOptions& options);

/// Throws AddressError if a debugger cannot be waited for at the address of --gdb. Leaves nothing.
void require_address(const DebugOptions& options);

class Debugging {
 public:
  /// The parts that a debugger uses.
  struct Access {
    const observe::DriveProbe& probe;
    SnapshotRing& ring;
    wave::WaveControl* waves = nullptr;         // null: none
    bool (*interrupted)() = nullptr;            // a signal asks the run to end
    std::function<void(Picoseconds)> pause_at;  // server().pause() is to be called at this time
  };

  /// All arguments must outlive this object. Throws AddressError.
  Debugging(const DebugOptions& options, const observe::CoreView& core, const Access& access);

  /// Add it to the observers of the run and to the watchers of its core.
  DebugServer& server() { return server_; }

  /// See DebugServer.
  void record_from(std::uint64_t edge, const std::string& file) { server_.record_from(edge, file); }
  bool recorded() const { return server_.recorded(); }
  void run_over(int exit_status) { server_.run_over(exit_status); }

 private:
  observe::QueueView queue_;
  DebugServer server_;
};

}  // namespace headstack::debug
