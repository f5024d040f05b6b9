// SPDX-License-Identifier: Apache-2.0
// Non-volatile state of the drive besides data: saved mode pages and moved blocks. Checks that the
// state survives a power loss.
//
// A save is a MODE SELECT of page 01h with SP. Its read retry count differs from that of all
// others, and its AWRE and ARRE are set. A move is a REASSIGN BLOCKS of one block; no block is
// moved twice. At most one save and one move are outstanding. After GOOD the new state must be
// there. After another ending, or none, it may be there.
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

  /// A move of the first of these blocks that was not moved before. Nothing when there is none, or
  /// while a move is outstanding.
  std::optional<initiator::Command> reassign(std::uint64_t lba, std::uint32_t blocks);
  void reassign_ended(bool good);

  /// Notes an interrupted FORMAT UNIT, which loses the grown defect list (docs/power.md).
  void grown_list_is_lost() { moved_.clear(); }

  /// Notes that outstanding commands have not ended.
  void power_lost();
  bool is_empty() const { return next_save_ == 0 && named_.empty(); }
  std::uint64_t saves() const { return next_save_; }
  std::uint64_t moves() const { return named_.size(); }

  /// MODE SENSE of the saved values of page 01h, and the check of its answer. A drive whose page
  /// has PS clear does not save pages. The values read are expected again, until the next save.
  static initiator::Command sense_saved();
  std::string judge_saved(const initiator::Completion& answer);
  /// READ DEFECT DATA of the grown list, and the check of its answer. `may_grow`: the drive may
  /// move blocks by itself.
  static initiator::Command read_grown();
  std::string judge_grown(const initiator::Completion& answer, bool may_grow) const;

 private:
  void settle(unsigned count);

  std::uint64_t next_save_ = 0;
  bool save_is_out_ = false;
  std::set<unsigned> may_be_saved_;  // read retry counts; empty: only the default
  bool default_is_gone_ = false;
  std::optional<std::uint32_t> move_out_;
  std::set<std::uint32_t> named_;
  std::set<std::uint32_t> moved_;  // blocks of named_ that have certainly moved
  bool keeps_ = false;             // the drive reports that it saves pages (PS)
};

}  // namespace headstack::replay
