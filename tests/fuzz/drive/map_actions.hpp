// SPDX-License-Identifier: Apache-2.0
/// @file Actions about a drive that moves its blocks (docs/remapping.md): mode page 23h, maps, and
///   queries about them.
#pragma once

#include "tests/fuzz/drive/cdb.hpp"
#include "tests/fuzz/drive/choices.hpp"
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// Mode page 23h without a map: no units.
Bytes remap_page();

/// Draws such actions for one drive, and keeps the page that it drew last.
class MapActions {
 public:
  /// `first` and `span` are the blocks of most commands.
  MapActions(Capacity capacity, std::uint32_t first, std::uint32_t span)
      : capacity_(capacity), first_(first), span_(span) {}

  /// The page that begins a map: its first block, the blocks of a unit, and how the drive moves
  /// them.
  Bytes begin(Choices& choose);
  /// Changes of the page: another map, share or idle time, learning, or a map by the drive itself.
  /// Seldom other units, which the drive refuses while some are away.
  Bytes change(Choices& choose);
  /// WRITE BUFFER of map 1 or 2: busy and other units exchange places, or all units do.
  std::vector<Action> stage(Choices& choose) const;
  /// MODE SENSE of page 23h, of the streams or of all pages; READ BUFFER; LOG SENSE of pages 33h
  /// and 34h.
  Action ask(Choices& choose) const;

 private:
  std::uint32_t unit() const;
  std::uint32_t first_block() const;
  std::uint32_t units() const;

  Capacity capacity_;
  std::uint32_t first_, span_;
  Bytes page_ = remap_page();
};

/// The vendor's subpage 20h/01h: properties of streams, seldom with too large sums.
Bytes streams_page(Choices& choose);

}  // namespace headstack::fuzz
