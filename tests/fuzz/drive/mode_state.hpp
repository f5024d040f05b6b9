// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mode pages as hosts have sent them: what MODE SENSE of current values must then return.
///
/// All hosts share the pages that are judged here. A page is certain after a MODE SELECT with it
/// that ended GOOD, without another beside it. A refused one leaves it as it was. A reset ends what
/// is known, but for page 23h: the drive keeps that page with its map (firmware/unit/mode_page.h).
///
/// The drive itself changes two bytes of page 23h. The map becomes another by a choice of its own,
/// or by FORMAT UNIT; byte 5 becomes 0 when the map is made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// What became of a MODE SELECT.
enum class Selected : std::uint8_t {
  kTaken,    // GOOD: its pages are in force
  kRefused,  // nothing was changed
  kPerhaps,  // aborted, rounded, or of a host that misbehaved
  kLost,     // its host has lost it, and the drive may carry it out at any time
};

/// The pages of a mode parameter list, or of MODE SENSE's data, as far as they are whole.
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
  /// What is wrong with the data of a MODE SENSE; "": nothing. No page has changed meanwhile.
  std::string find_error(const Action& sense, const Bytes& data) const;

 private:
  struct Page {
    std::optional<Bytes> certain;
    std::optional<Bytes> before;  // the selects that are out
    std::uint32_t out = 0;        // outstanding MODE SELECTs of the page
    bool was_alone = true;
  };
  std::string find_page_error(const Bytes& page, bool is_saved) const;

  std::map<std::uint32_t, Page> pages_;  // by page code and subpage
  std::uint32_t version_ = 0;
  bool is_map_open_ = false;  // the map of page 23h
};

}  // namespace headstack::fuzz
