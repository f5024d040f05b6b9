// SPDX-License-Identifier: Apache-2.0
#include "host/debug/snapshot_ring.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "host/debug/output_files.hpp"
#include "host/debug/snapshot_broker.hpp"
#include "sim/assert.hpp"

namespace headstack::debug {
namespace {

constexpr int kStandardStreams = 3;

/// Ignores signals in a snapshot, since a terminal's Ctrl-C reaches every process.
class SignalsLeftAlone {
 public:
  SignalsLeftAlone() {
    interrupt_ = std::signal(SIGINT, SIG_IGN);
    terminate_ = std::signal(SIGTERM, SIG_IGN);
  }
  void end() const {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGTERM, terminate_);
  }

 private:
  void (*interrupt_)(int);
  void (*terminate_)(int);
};

/// Closes the standard streams, since a reader of the run's output must not wait for a snapshot.
void leave_standard_streams() {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int number = 0; number < kStandardStreams; ++number) ::dup2(nothing, number);
  ::close(nothing);
}

}  // namespace

std::optional<std::size_t> least_missed(const std::vector<std::uint64_t>& positions,
                                        const std::vector<std::uint64_t>& kept) {
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 1; i + 1 < positions.size(); ++i) {
    if (std::find(kept.begin(), kept.end(), positions[i]) != kept.end()) continue;
    const auto gap = static_cast<double>(positions[i + 1] - positions[i - 1]);
    const auto age = static_cast<double>(positions.back() - positions[i]);
    const double missed = gap / age;
    if (!best || missed < least) {
      best = i;
      least = missed;
    }
  }
  return best;
}

int SnapshotRing::host(std::size_t capacity, const std::function<int(SnapshotRing&)>& run) {
  auto [ours, theirs] = message_sockets();
  SnapshotBroker::adopt_descendants();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "a process for the run");
  if (child > 0) {
    theirs.close();
    return SnapshotBroker(child, std::move(ours)).serve();
  }
  ours.close();
  // Snapshots that end need no wait().
  std::signal(SIGCHLD, SIG_IGN);
  SnapshotRing ring(capacity, std::move(theirs));
  return run(ring);
}

std::optional<SnapshotRing::Wake> SnapshotRing::take(std::uint64_t position,
                                                     const std::vector<int>& closed,
                                                     std::vector<std::uint64_t> kept) {
  const auto place = std::lower_bound(positions_.begin(), positions_.end(), position);
  if (place != positions_.end() && *place == position) return std::nullopt;
  auto [brokers, own] = message_sockets();
  commit_();
  const OutputFiles outputs = OutputFiles::now();
  // The position is added in both processes, so that they write the same later.
  positions_.insert(place, position);
  const pid_t child = ::fork();
  if (child == 0) {
    brokers.close();
    control_.close();
    for (const int number : closed) ::close(number);
    Wake wake = park(std::move(own));
    outputs.rewind();
    return wake;
  }
  if (child < 0 ||
      !send_message(control_.get(), MessageKind::kParked, position, {}, {brokers.get()})) {
    positions_.erase(std::find(positions_.begin(), positions_.end(), position));
    return std::nullopt;
  }
  kept.push_back(position);
  if (positions_.size() > capacity_) {
    if (const auto index = least_missed(positions_, kept)) drop(positions_[*index]);
  }
  return std::nullopt;
}

/// Waits for orders. Each makes a child that continues, and whose parent is not this process in the
/// end.
SnapshotRing::Wake SnapshotRing::park(Descriptor socket) {
  const SignalsLeftAlone signals;
  leave_standard_streams();
  for (;;) {
    std::optional<Message> message = receive_message(socket.get());
    // The broker has ended, or has dropped this snapshot.
    if (!message || message->files.size() < 1 + kStandardStreams) std::_Exit(EXIT_SUCCESS);
    const pid_t between = ::fork();
    if (between > 0) {
      int status = 0;
      ::waitpid(between, &status, 0);
      continue;
    }
    // The broker must receive the run's exit status, even while this process is still its parent.
    if (between == 0) std::signal(SIGCHLD, SIG_DFL);
    if (between < 0 || ::fork() != 0) std::_Exit(EXIT_SUCCESS);
    std::signal(SIGCHLD, SIG_IGN);
    socket.close();
    control_ = std::move(message->files[0]);
    for (int number = 0; number < kStandardStreams; ++number) {
      ::dup2(message->files[static_cast<std::size_t>(number) + 1].get(), number);
    }
    signals.end();
    send_message(control_.get(), MessageKind::kAlive, static_cast<std::uint64_t>(::getpid()));
    Wake wake;
    wake.order = message->text;
    for (std::size_t i = 1 + kStandardStreams; i < message->files.size(); ++i) {
      wake.files.push_back(std::move(message->files[i]));
    }
    return wake;
  }
}

void SnapshotRing::wake(std::uint64_t position, const std::string& order,
                        const std::vector<int>& files) {
  HEADSTACK_ASSERT(std::binary_search(positions_.begin(), positions_.end(), position),
                   "a snapshot that is there");
  // Another process may have truncated the files before the snapshot, and this one has repeated the
  // run from there.
  commit_();
  std::fflush(nullptr);
  send_message(control_.get(), MessageKind::kWake, position, order, files);
  // This process must write nothing more, since the other one writes it again.
  std::_Exit(EXIT_SUCCESS);
}

bool SnapshotRing::broker_gone() const {
  pollfd broker{control_.get(), POLLIN, 0};
  return ::poll(&broker, 1, 0) > 0;
}

std::optional<std::uint64_t> SnapshotRing::before(std::uint64_t position) const {
  const auto next = std::lower_bound(positions_.begin(), positions_.end(), position);
  if (next == positions_.begin()) return std::nullopt;
  return *std::prev(next);
}

void SnapshotRing::forget_behind(std::uint64_t position) {
  while (!positions_.empty() && positions_.back() > position) drop(positions_.back());
}

void SnapshotRing::drop(std::uint64_t position) {
  send_message(control_.get(), MessageKind::kDrop, position);
  positions_.erase(std::find(positions_.begin(), positions_.end(), position));
}

}  // namespace headstack::debug
