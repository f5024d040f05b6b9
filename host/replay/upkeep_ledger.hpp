// SPDX-License-Identifier: Apache-2.0
// The drive's non-volatile state besides data: saved mode pages and moved blocks. It checks that
// the state survives a power loss.
//
// A save is a MODE SELECT of page 01h with SP. Each save has its own read retry count, and AWRE and
// ARRE set. A move is a REASSIGN BLOCKS of one block; no block is moved twice. At most one save and
// one move are outstanding. After GOOD the new state must be found. After another ending, or none,
// it may be found.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "sim/initiator/command.hpp"

namespace headstack::replay {

class UpkeepLedger {
 public:
  /// Returns the command of a save; nothing while a save is outstanding.
  std::optional<initiator::Command> save();
  void save_ended(bool good);

  /// Returns the command that moves the first of these blocks not moved before. Returns nothing if
  /// there is none, or while a move is outstanding.
  std::optional<initiator::Command> reassign(std::uint64_t lba, std::uint32_t blocks);
  void reassign_ended(bool good);

  /// Notes an interrupted FORMAT UNIT, which loses the grown defect list (docs/power.md).
  void grown_list_is_lost() { moved_.clear(); }

  /// Notes that outstanding commands will not end.
  void power_lost();
  bool is_empty() const { return next_save_ == 0 && named_.empty(); }
  std::uint64_t saves() const { return next_save_; }
  std::uint64_t moves() const { return named_.size(); }

  /// MODE SENSE of the saved values of page 01h, and the check of its answer. A drive whose page
  /// has PS clear does not save pages. The values read are expected again until the next save.
  static initiator::Command sense_saved();
  std::string judge_saved(const initiator::Completion& answer);
  /// READ DEFECT DATA of the grown list, and the check of its answer. With `may_grow`, the drive
  /// may move blocks by itself.
  static initiator::Command read_grown();
  std::string judge_grown(const initiator::Completion& answer, bool may_grow) const;

 private:
  void settle(unsigned count);

  std::uint64_t next_save_ = 0;
  bool save_is_out_ = false;
  std::set<unsigned> may_be_saved_;  // read retry counts of saves; empty: only the default
  bool default_is_gone_ = false;
  std::optional<std::uint32_t> move_out_;
  std::set<std::uint32_t> named_;
  std::set<std::uint32_t> moved_;  // blocks of named_ that have certainly moved
  bool keeps_ = false;             // the drive reports that it saves pages (PS)
};

}  // namespace headstack::replay
