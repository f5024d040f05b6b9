// What hosts have the drive keep about itself, beside data: saved mode pages and blocks that were
// moved; and whether it still has them when power returns.
//
// A save is a MODE SELECT with SP of page 01h, each with another read retry count, which tells it
// from all others; its AWRE and ARRE are set. A move is a REASSIGN BLOCKS of one block, each block
// once. One save and one move at most are out at a time. What was GOOD must be there; what ended
// otherwise, or did not end, may be.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/initiator/command.hpp"

namespace headstack::replay {

class UpkeepLedger {
 public:
  /// Nothing, while one is out.
  std::optional<initiator::Command> save();
  void save_ended(bool good);

  /// Of the first of these blocks that was not named before; nothing, if there is none, or one is
  /// out.
  std::optional<initiator::Command> reassign(std::uint64_t lba, std::uint32_t blocks);
  void reassign_ended(bool good);

  /// What was out did not end.
  void power_lost();
  bool is_empty() const { return next_save_ == 0 && named_.empty(); }
  std::uint64_t saves() const { return next_save_; }
  std::uint64_t moves() const { return named_.size(); }

  /// MODE SENSE of the saved values of page 01h, and what is wrong with its answer. A drive whose
  /// page has PS clear has promised nothing. What has been seen stays, until the next save.
  static initiator::Command sense_saved();
  std::string judge_saved(const initiator::Completion& answer);
  /// READ DEFECT DATA of the grown list, likewise. `may_grow`: blocks may move by themselves.
  static initiator::Command read_grown();
  std::string judge_grown(const initiator::Completion& answer, bool may_grow) const;

 private:
  void settle(unsigned count);

  std::uint64_t next_save_ = 0;
  bool save_is_out_ = false;
  std::set<unsigned> may_be_saved_;  // read retry counts; empty: the default
  bool default_is_gone_ = false;
  std::optional<std::uint32_t> move_out_;
  std::set<std::uint32_t> named_;
  std::set<std::uint32_t> moved_;  // of these, for certain
  bool keeps_ = false;             // the drive says so
};

}  // namespace headstack::replay
