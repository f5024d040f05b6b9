// Snapshots of a whole run, by fork(): processes that stand still where they were taken, and can be
// woken to go on from there. A process has everything in it: electronics, kernel, host, files.
//
// Who is who:
// - the broker is the process that was started. It simulates nothing; it holds the sockets of all
//   others, hands orders on, passes signals to the run, and ends with the exit status of the run;
// - one process is the run. Under way it takes snapshots; with wake() it ends, and another goes on;
// - a snapshot waits for its order, with no file of anybody's open but those that it will write.
//   Woken, it forks once more: the copy is the run, and it waits for the next order.
// Whichever dies, the others notice by their sockets and end: no process is left behind.
//
// Which are kept: the first always; when there are too many, the one that is least missed for its
// age goes (least_missed()), so that they lie the closer, the younger they are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/debug/wire.hpp"

namespace headstack::debug {

/// Of ascending positions, the index of the one to drop: neither the first nor the last nor one of
/// `kept`, and of the others the one that leaves the smallest gap for its age; none when there is
/// no other.
std::optional<std::size_t> least_missed(const std::vector<std::uint64_t>& positions,
                                        const std::vector<std::uint64_t>& kept);

class SnapshotRing {
 public:
  /// Makes this process the broker, and calls `run` in a child. Returns the child's exit status in
  /// the broker, and what `run` returns in the run: it must become the process's exit status.
  /// Throws std::system_error when there is no process to be had.
  static int host(std::size_t capacity, const std::function<int(SnapshotRing&)>& run);

  /// What a process that was woken is told.
  struct Wake {
    std::string order;
    std::vector<Descriptor> files;  // what wake() was given, in its order
  };

  /// A snapshot of here and now, by this name: a position that grows in the run. Returns nothing in
  /// the process that goes on, and again in each that is woken here, with its order. `closed` are
  /// files that a snapshot must not hold, such as sockets; `kept` are positions that may not be
  /// dropped for it. Without a free process the run goes on without the snapshot.
  std::optional<Wake> take(std::uint64_t position, const std::vector<int>& closed,
                           std::vector<std::uint64_t> kept = {});

  /// This process ends, and the snapshot at a position, which must be there, goes on.
  [[noreturn]] void wake(std::uint64_t position, const std::string& order,
                         const std::vector<int>& files);

  /// Positions of what there is, ascending.
  const std::vector<std::uint64_t>& positions() const { return positions_; }
  /// The last one before a position.
  std::optional<std::uint64_t> before(std::uint64_t position) const;
  /// Drops what lies behind a position: what comes there will be different.
  void forget_behind(std::uint64_t position);
  /// For the process that was woken: those that there are by now.
  void know(std::vector<std::uint64_t> positions) { positions_ = std::move(positions); }

  /// The broker has ended: then this process has to end, too.
  bool broker_gone() const;
  /// Readable then.
  int broker_socket() const { return control_.get(); }

 private:
  SnapshotRing(std::size_t capacity, Descriptor control)
      : capacity_(capacity), control_(std::move(control)) {}

  Wake park(Descriptor socket);
  void drop(std::uint64_t position);

  std::size_t capacity_;
  Descriptor control_;
  std::vector<std::uint64_t> positions_;
};

}  // namespace headstack::debug
