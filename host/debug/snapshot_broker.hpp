// The broker between a run and its snapshots (snapshot_ring.hpp): the process that the shell knows.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

#include "host/debug/wire.hpp"

namespace headstack::debug {

class SnapshotBroker {
 public:
  /// Before the run is forked: its descendants become ours when their parents end, however soon.
  static void adopt_descendants();

  /// `run` is a child of this process, and `socket` leads to it.
  SnapshotBroker(pid_t run, Descriptor socket);

  /// Serves until the run has ended and has no successor, and nobody else is left. Returns its exit
  /// status as shells have it: 128 and the signal's number for a run that a signal ended.
  int serve();

 private:
  void obey();  // a message of the run
  void wake(const Message& message);
  void reap();
  std::optional<int> final_status();

  pid_t run_;
  Descriptor socket_;
  bool handing_over_ = false;   // a successor was woken, and has not said who it is
  std::map<pid_t, int> ended_;  // how others ended: perhaps a successor that has not spoken yet
  std::optional<int> status_;   // the run has ended
  std::map<std::uint64_t, Descriptor> snapshots_;
};

}  // namespace headstack::debug
