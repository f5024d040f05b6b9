// What a run changes of the drive's mode pages before its trace begins, as a list.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/replay/replay_options.hpp"
#include "sim/description/description.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

/// One page: read as it stands, changed, written back.
struct ModeChange {
  std::uint8_t page = 0;
  std::uint32_t bytes = 0;  // of the page, with its header
  std::function<void(std::uint8_t* page)> apply;
  std::string missing;  // the failure of a drive that has no such page: a sentence
  std::string refused;  // or that does not take it
  /// What a drive that rounds the values (SCSI-2 7.5.4) has in force: a sentence. Empty: a page
  /// whose values are not rounded.
  std::function<std::string(const std::uint8_t* page)> rounded = {};
  std::uint8_t subpage = 0;  // with a header of four bytes, then
  /// Sent before it, each until the drive is not BUSY.
  std::vector<initiator::Command> before = {};
  std::string before_refused = {};  // the failure of a drive that does not take one: a sentence
  /// It is made when all units of blocks have moved to where this map wants them.
  std::optional<std::uint8_t> settles_on = {};
};

/// MODE SENSE(6) for the current values of the page, without block descriptors; and MODE SELECT(6)
/// with what turn_into_select() made of its answer. `save`: for after resets, too.
initiator::Command sense_command(const ModeChange& change);
initiator::Command select_command(std::vector<std::uint8_t> list, bool save);

/// By Setting, one for each value that the options give it: of --cache, where "off" is one of them,
/// and of --policy. `options` must outlive them. Throws PolicyError.
using SettingChanges = std::array<std::vector<ModeChange>, options::kSettings>;
SettingChanges setting_changes(const ReplayOptions& options);

/// In the order in which they are made. `options` must outlive them. Throws OptionError for a
/// description that lacks what the options ask of it.
std::vector<ModeChange> mode_changes(const ReplayOptions& options,
                                     const drive::Published& published);

/// The list of MODE SENSE(6) with one page and no block descriptor, turned into the one that MODE
/// SELECT(6) takes; kModeHeaderBytes and the page, which is changed.
void turn_into_select(std::vector<std::uint8_t>& list, const ModeChange& change);

constexpr std::uint32_t kModeHeaderBytes = 4;  // SPC-2 8.3.3

}  // namespace headstack::replay
