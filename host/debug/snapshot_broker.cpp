// SPDX-License-Identifier: Apache-2.0
#include "host/debug/snapshot_broker.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "host/output/exit_status.hpp"
#include "host/output/message.hpp"

namespace headstack::debug {
namespace {

// Time after which a signal is handled at the latest. Most signals come with a run's messages or
// its end.
constexpr int kPollMs = 50;

volatile std::sig_atomic_t received = 0;
void on_signal(int signal) { received = signal; }

}  // namespace

void SnapshotBroker::adopt_descendants() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

SnapshotBroker::SnapshotBroker(pid_t run, Descriptor socket)
    : run_(run), socket_(std::move(socket)) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

int SnapshotBroker::serve() {
  std::optional<int> status;
  while (!status) {
    pollfd from_run{socket_.get(), POLLIN, 0};
    const int ready = ::poll(&from_run, socket_.open() ? 1 : 0, kPollMs);
    if (received != 0) {
      ::kill(run_, received);
      received = 0;
    }
    if (ready > 0) obey();
    reap();
    status = final_status();
  }
  // Without their sockets, all snapshots end, and so do the processes that they had woken.
  snapshots_.clear();
  socket_.close();
  while (::wait(nullptr) > 0 || errno == EINTR) {
  }
  return *status;
}

void SnapshotBroker::obey() {
  std::optional<Message> message = receive_message(socket_.get());
  if (!message) {
    socket_.close();
    return;
  }
  switch (message->kind) {
    case MessageKind::kAlive:
      run_ = static_cast<pid_t>(message->value);
      handing_over_ = false;
      break;
    case MessageKind::kParked:
      if (!message->files.empty()) snapshots_[message->value] = std::move(message->files[0]);
      break;
    case MessageKind::kDrop: snapshots_.erase(message->value); break;
    case MessageKind::kWake: wake(*message); break;
  }
}

/// The exit status, once the run has ended and all of its messages are handled. The last message
/// may announce a successor.
std::optional<int> SnapshotBroker::final_status() {
  if (socket_.open()) return std::nullopt;
  if (handing_over_) {
    output::say_text("headstack: error: a snapshot ended before it could continue\n");
    return EXIT_FAILURE;
  }
  const auto ended = ended_.find(run_);
  if (ended == ended_.end()) return std::nullopt;
  return ended->second;
}

void SnapshotBroker::wake(const Message& message) {
  auto [ours, theirs] = message_sockets();
  std::vector<int> files = {theirs.get(), STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  for (const Descriptor& file : message.files) files.push_back(file.get());
  const auto snapshot = snapshots_.find(message.value);
  handing_over_ = true;
  ended_.clear();  // process ids may be reused
  socket_ = std::move(ours);
  // The other end of the socket is closed if the snapshot is gone. obey() detects that.
  if (snapshot == snapshots_.end()) return;
  send_message(snapshot->second.get(), MessageKind::kWake, message.value, message.text, files);
}

void SnapshotBroker::reap() {
  int status = 0;
  for (pid_t ended = ::waitpid(-1, &status, WNOHANG); ended > 0;
       ended = ::waitpid(-1, &status, WNOHANG)) {
    ended_[ended] = output::exit_status_of(status);
  }
}

}  // namespace headstack::debug
