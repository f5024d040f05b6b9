// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mode pages as hosts have sent them: what MODE SENSE of current values must then return.
///
/// All hosts share the pages that are judged here. A page is certain after a MODE SELECT with it
/// that ended GOOD, without another beside it. A refused MODE SELECT leaves it unchanged. After a
/// reset nothing is certain but page 23h: the drive keeps that page with its map
/// (firmware/unit/mode_page.h).
///
/// The drive itself changes two bytes of page 23h. The map changes by the drive's own choice, or by
/// FORMAT UNIT. Byte 5 becomes 0 when the map is made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// Outcome of a MODE SELECT.
enum class Selected : std::uint8_t {
  kTaken,    // GOOD: its pages are in force
  kRefused,  // nothing was changed
  kPerhaps,  // aborted, rounded, or from a host that misbehaved
  kLost,     // its host has lost it, and the drive may carry it out at any time
};

/// The complete pages of a mode parameter list, or of MODE SENSE's data.
std::vector<Bytes> mode_pages_of(const Bytes& bytes, bool has_long_header);

class ModeState {
 public:
  void sent(const Action& select);
  void ended(const Action& select, Selected how);
  /// The drive was reset, or may have been.
  void reset();
  /// FORMAT UNIT puts all units at home. One with IMMED goes on after its status.
  void format() { is_map_open_ = true; }
  /// Counts possible changes.
  std::uint32_t version() const { return version_; }
  /// The error in the data of a MODE SENSE during which no page changed; "": none.
  std::string find_error(const Action& sense, const Bytes& data) const;

 private:
  struct Page {
    std::optional<Bytes> certain;
    std::optional<Bytes> before;  // value before the outstanding selects
    std::uint32_t out = 0;        // outstanding MODE SELECTs of the page
    bool was_alone = true;
  };
  std::string find_page_error(const Bytes& page, bool is_saved) const;

  std::map<std::uint32_t, Page> pages_;  // by page code and subpage
  std::uint32_t version_ = 0;
  bool is_map_open_ = false;  // whether the map of page 23h is not certain
};

}  // namespace headstack::fuzz
