// A run with a debugger, or with snapshots: everything that it needs beside the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/debug/debug_server.hpp"
#include "host/debug/snapshot_ring.hpp"
#include "host/observe/drive_probe.hpp"
#include "host/observe/electronics.hpp"
#include "host/observe/queue_view.hpp"

namespace headstack::debug {

/// What a run is asked for that may be stopped, and go back.
struct DebugOptions {
  std::string out;                          // the run's folder: output/run_folder.hpp
  std::string firmware;                     // of the drive's core: an ELF file
  std::string gdb;                          // rtl, vp: where GDB may come; "": no debugger
  std::string run_until;                    // where a debugger finds the run; "": at its beginning
  std::optional<double> snapshot_every_ms;  // rtl, vp, simulated; 0: of the beginning alone
  std::uint32_t snapshots = 16;             // that are kept, at most
  bool post_mortem = false;                 // rtl: waves of the time before a failure
};

/// DebugOptions::gdb for a socket in the run's own folder.
constexpr const char* kOwnSocket = "unix";

/// The options ask for snapshots: then the run belongs into SnapshotRing::host().
bool wants_snapshots(const DebugOptions& options);

class Debugging {
 public:
  /// What a debugger works with.
  struct Access {
    const observe::DriveProbe& probe;
    SnapshotRing& ring;
    wave::WaveControl* waves = nullptr;  // null: none
    bool (*interrupted)() = nullptr;     // a signal asks the run to end
  };

  /// All must outlive this. Throws AddressError.
  Debugging(const DebugOptions& options, const observe::CoreView& core, const Access& access);

  /// To be added to those who watch the run and its core.
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
