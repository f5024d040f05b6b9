// SPDX-License-Identifier: Apache-2.0
// The list of changes that a run makes to the drive's mode pages before its trace begins.
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

/// A change of one page: MODE SENSE reads it, `apply` changes it, and MODE SELECT writes it back.
struct ModeChange {
  std::uint8_t page = 0;
  std::uint32_t bytes = 0;  // length of the page, with its header
  std::function<void(std::uint8_t* page)> apply;
  std::string missing;  // a sentence: the failure for a drive without the page
  std::string refused;  // a sentence: the failure for a drive that refuses the change
  /// A sentence about the values in force after rounding by the drive (SCSI-2 7.5.4). Empty for a
  /// page whose values are not rounded.
  std::function<std::string(const std::uint8_t* page)> rounded = {};
  std::uint8_t subpage = 0;  // if not 0, the page has a header of four bytes
  /// Commands that precede the change, each repeated while the drive is BUSY.
  std::vector<initiator::Command> before = {};
  std::string before_refused = {};  // a sentence: the failure for a drive that rejects one of them
  /// The change is complete only when all units of blocks have moved to their places in this map.
  std::optional<std::uint8_t> settles_on = {};
};

/// MODE SENSE(6) for the current values of the page, without block descriptors. MODE SELECT(6)
/// sends the list that turn_into_select() made of the answer. With `save`, the drive keeps the
/// values through resets.
initiator::Command sense_command(const ModeChange& change);
initiator::Command select_command(std::vector<std::uint8_t> list, bool save);

/// The changes by Setting, one for each value that the options give. The values are those of
/// settings.cache, where "off" is a value, too, and of settings.policy. `options` must outlive
/// them. Throws PolicyError.
using SettingChanges = std::array<std::vector<ModeChange>, options::kSettings>;
SettingChanges setting_changes(const ReplayOptions& options);

/// The changes in the order in which they are made. `options` must outlive them. Throws OptionError
/// for a description that lacks what the options need.
std::vector<ModeChange> mode_changes(const ReplayOptions& options,
                                     const drive::DriveDescription& description);

/// Turns the list of MODE SENSE(6), with one page and no block descriptor, into the list for MODE
/// SELECT(6). It has kModeHeaderBytes and the page, which is changed.
void turn_into_select(std::vector<std::uint8_t>& list, const ModeChange& change);

constexpr std::uint32_t kModeHeaderBytes = 4;  // header of the parameter list of MODE SELECT(6),
                                               // SPC-2 8.3.3

}  // namespace headstack::replay
