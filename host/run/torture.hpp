// SPDX-License-Identifier: Apache-2.0
// headstack torture: cuts the power of a run at every write of a sector, and judges each cut.
//
// The run itself goes on unchanged. At each write its process forks. The copy cuts the power before
// the sector's first byte, or at a byte within it, drawn by seed. It restarts the drive on the
// media as they are then. It reads back every block that the hosts have touched, and compares it
// with what was acknowledged (host/replay/power_verdict.hpp). A finding names the byte at which
// `run faults.power_cut=byte:N` repeats it.
//
// If the drive stores more than blocks, the power fails again in the copy. That cut precedes one
// byte, drawn by seed, of those that the drive writes after its restart.
//
// Nothing changes on the media between two writes. So the cut before a sector's first byte is the
// hardest of all cuts since the previous sector: the most has been acknowledged by then.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/output/descriptor.hpp"
#include "host/replay/power_verdict.hpp"
#include "host/session/session.hpp"

namespace headstack::run {

struct TortureOptions {
  std::uint64_t every = 1;            // cuts are made at every Nth write of a sector
  std::uint64_t bytes_per_write = 1;  // cuts within a sector, in addition to the one before it
  std::uint64_t most = 0;             // largest number of cuts; 0: no limit
  std::uint64_t jobs = 1;             // copies that run at the same time
  std::uint64_t seed = 1;
  std::uint64_t whole_every = 100;  // every Nth cut examines the whole disk; 0: none does
  std::uint64_t again_sectors = 0;  // number of sectors within which the second cut lies; 0: no
                                    // second cut
};

class Torture {
 public:
  struct Finding {
    std::uint64_t byte = 0;
    std::optional<std::uint64_t> again;  // PowerJudgement::again
    std::string text;
  };
  /// Judges the media in a copy, after the power has failed.
  using JudgeMedia = std::function<replay::PowerVerdict(const media::MediaSnapshot& media,
                                                        const replay::PowerJudgement& judgement)>;

  Torture(const TortureOptions& options, session::Session& session, JudgeMedia judge);
  ~Torture();
  Torture(const Torture&) = delete;
  Torture& operator=(const Torture&) = delete;

  /// Called before time passes.
  void arm();
  /// Called after the last command: makes a final cut, and waits for all copies.
  void finish();

  std::uint64_t cuts() const { return cuts_; }
  std::uint64_t cut_again() const { return cut_again_; }
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t looked_at() const { return looked_at_; }
  std::uint64_t unreadable() const { return unreadable_; }
  /// Findings in the order of their bytes.
  std::vector<Finding> findings() const;

 private:
  struct Copy {
    std::uint64_t byte = 0;
    std::optional<std::uint64_t> again;
    output::Descriptor answer;
  };

  void at_write(const media::MediaPower::Write& write);
  void cut(const media::MediaPower::Write* write, std::uint64_t byte, std::uint32_t part);
  std::optional<std::uint64_t> draw_again(std::uint64_t byte) const;
  [[noreturn]] void live_on(const media::MediaPower::Write* write, std::uint32_t part,
                            const replay::PowerJudgement& judgement, int answer);
  void wait_for_one();

  TortureOptions options_;
  session::Session& session_;
  JudgeMedia judge_;
  std::map<pid_t, Copy> copies_;
  std::uint64_t cuts_ = 0;
  std::uint64_t cut_again_ = 0;
  std::uint64_t blocks_ = 0;
  std::uint64_t looked_at_ = 0;
  std::uint64_t unreadable_ = 0;
  std::map<std::uint64_t, Finding> findings_;  // findings by their byte
};

}  // namespace headstack::run
