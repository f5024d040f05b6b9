// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/hunt.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "tests/fuzz/drive/generate.hpp"
#include "tests/fuzz/drive/trial.hpp"

namespace headstack::fuzz {

std::atomic<bool> stop_wanted{false};

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kNone = ~std::uint64_t{0};
constexpr int kFound = 3;
constexpr useconds_t kLookEvery = 20'000;

/// Memory that the hunter and its workers, which are processes, share.
struct Shared {
  struct Worker {
    std::atomic<std::uint64_t> playing{kNone};  // number of the case
    std::atomic<std::uint64_t> storylines{0};
    std::atomic<std::uint64_t> commands{0};
    std::atomic<std::uint64_t> messages{0};
    std::atomic<std::uint64_t> phases{0};
    std::atomic<std::uint64_t> limited{0};
    std::atomic<std::uint64_t> timed_out{0};
    pid_t process = 0;
  };
  static constexpr unsigned kWorkersMax = 64;

  std::atomic<std::uint64_t> next{0};  // number of the next case
  std::atomic<bool> stop{false};
  Worker worker[kWorkersMax];
};

class Hunter {
 public:
  explicit Hunter(const HuntOptions& options) : options_(options), begin_(Clock::now()) {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      std::fprintf(stderr, "headstack-fuzz: no memory to share; give this machine some more\n");
      std::exit(2);
    }
    shared_ = new (memory) Shared;
    shared_->next = options.first;
    jobs_ = std::clamp(options.jobs, 1U, Shared::kWorkersMax);
  }
  ~Hunter() { munmap(shared_, sizeof(Shared)); }
  Hunter(const Hunter&) = delete;
  Hunter& operator=(const Hunter&) = delete;

  Hunted run(const std::function<void(const Hunted&)>& progress) {
    for (unsigned i = 0; i < jobs_; ++i) start(i);
    Clock::time_point told = begin_;
    while (running_ > 0) {
      usleep(kLookEvery);
      const bool time_is_up = options_.cases == 0 && seconds() >= options_.seconds;
      if (time_is_up || stop_wanted) shared_->stop = true;
      if (stop_wanted) kill_all();
      collect();
      if (Clock::now() - told < std::chrono::seconds(1)) continue;
      told = Clock::now();
      progress(so_far());
    }
    Hunted hunted = so_far();
    hunted.interrupted = stop_wanted;
    std::sort(hunted.found.begin(), hunted.found.end());
    return hunted;
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  Hunted so_far() const {
    Hunted hunted;
    for (unsigned i = 0; i < jobs_; ++i) {
      const Shared::Worker& worker = shared_->worker[i];
      hunted.totals.add({worker.storylines, worker.commands, worker.messages, worker.phases});
      hunted.limited += worker.limited;
      hunted.timed_out += worker.timed_out;
    }
    hunted.found = found_;
    hunted.seconds = seconds();
    return hunted;
  }

  void start(unsigned index) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::signal(SIGINT, SIG_IGN);
      // Messages of a crash are produced again when its case is tried alone.
      if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(2);
      _exit(work(shared_->worker[index]));
    }
    shared_->worker[index].process = child;
    ++running_;
  }

  int work(Shared::Worker& worker) {
    while (!shared_->stop) {
      const std::uint64_t number = shared_->next++;
      if (options_.cases != 0 && number >= options_.first + options_.cases) return 0;
      worker.playing = number;
      limit_processor_time(kTrialSecondsMax);
      const Played played = play(random_storyline(options_.seed, number, options_.theme));
      worker.storylines += played.totals.storylines;
      worker.commands += played.totals.commands;
      worker.messages += played.totals.messages;
      worker.phases += played.totals.phases;
      worker.limited += played.totals.limits.commands;
      worker.timed_out += played.totals.limits.ended();
      if (played.finding) return kFound;
      worker.playing = kNone;
    }
    return 0;
  }

  /// Collects workers that have ended: with a finding, after one, or for good.
  void collect() {
    for (unsigned i = 0; i < jobs_; ++i) {
      Shared::Worker& worker = shared_->worker[i];
      int status = 0;
      if (worker.process == 0 || waitpid(worker.process, &status, WNOHANG) != worker.process) {
        continue;
      }
      worker.process = 0;
      --running_;
      if (stop_wanted || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) continue;
      if (worker.playing != kNone) found_.push_back(worker.playing);
      worker.playing = kNone;
      start(i);
    }
  }

  void kill_all() {
    for (unsigned i = 0; i < jobs_; ++i) {
      if (shared_->worker[i].process != 0) kill(shared_->worker[i].process, SIGKILL);
    }
  }

  HuntOptions options_;
  Clock::time_point begin_;
  Shared* shared_ = nullptr;
  unsigned jobs_ = 1;
  unsigned running_ = 0;
  std::vector<std::uint64_t> found_;
};

}  // namespace

Hunted hunt(const HuntOptions& options, const std::function<void(const Hunted&)>& progress) {
  return Hunter(options).run(progress);
}

}  // namespace headstack::fuzz
