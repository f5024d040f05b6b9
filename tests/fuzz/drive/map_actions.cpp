// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/map_actions.hpp"

#include <algorithm>
#include <numeric>
#include <random>

// In C a function may be called like a struct; in C++ it hides its constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/motion/block_map.h"
#include "firmware/unit/mode_page.h"
#pragma GCC diagnostic pop
#include "tests/fuzz/drive/actions.hpp"

namespace headstack::fuzz {
namespace {

constexpr std::size_t kPageBytes = MODE_REMAP_BYTES;
constexpr std::uint8_t kWriteBuffer = 0x3B;
constexpr std::uint8_t kReadBuffer = 0x3C;
constexpr std::uint8_t kDataMode = 2;
/// Buffers of READ BUFFER: both maps, places of units, accesses by group, pairs of groups
/// (firmware/device/buffers.h).
constexpr std::uint8_t kBuffers[] = {0x10, 0x01, 0x02, 0x11, 0x12};
/// The most bytes that the drive takes at once (SPC-2 7.26 leaves the number to the drive).
constexpr std::size_t kPartBytes = 1024;
/// One unit more than the drive takes.
constexpr std::uint32_t kUnitsMax = BLOCK_MAP_UNITS_MAX + 1;

std::uint32_t be(const Bytes& bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | bytes[at + i];
  return value;
}

/// READ BUFFER or WRITE BUFFER.
Action buffer_action(std::uint8_t code, std::uint8_t id, std::size_t offset, std::size_t bytes) {
  Action action;
  action.cdb = {code, kDataMode, id, 0, 0, 0, 0, 0, 0, 0};
  put(&action.cdb, 3, 3, offset);
  put(&action.cdb, 6, 3, bytes);
  return action;
}

}  // namespace

Bytes remap_page() {
  Bytes page(kPageBytes);
  page[0] = MODE_PAGE_REMAP;
  page[1] = kPageBytes - 2;
  return page;
}

std::uint32_t MapActions::unit() const { return be(page_, MODE_REMAP_AT_UNIT, 2); }
std::uint32_t MapActions::first_block() const { return be(page_, MODE_REMAP_AT_FIRST, 4); }
std::uint32_t MapActions::units() const {
  const bool has_any = unit() != 0 && first_block() < capacity_.blocks;
  return has_any ? (capacity_.blocks - first_block()) / unit() : 0;
}

Bytes MapActions::begin(Choices& choose) {
  static constexpr std::uint16_t kUnits[] = {8, 4, 16, 2, 1, 16, 40, 100};
  const std::uint32_t unit = kUnits[choose.below(8)];
  put(&page_, MODE_REMAP_AT_UNIT, 2, unit);
  // Mostly the busy blocks move; sometimes some of them lie before the first unit.
  const std::uint32_t margin = choose.below(2 * unit + 40);
  const bool cuts = choose.chance(40);
  const std::uint32_t first = cuts ? first_ + margin % span_ : first_ - std::min(first_, margin);
  put(&page_, MODE_REMAP_AT_FIRST, 4, choose.chance(60) ? 0 : first);
  page_[MODE_REMAP_AT_FLAGS] = MODE_REMAP_MOVES;
  if (choose.chance(80)) page_[MODE_REMAP_AT_FLAGS] |= MODE_REMAP_LEARNS;
  put(&page_, MODE_REMAP_AT_GROUP, 2, unit * (1 + choose.below(3)));
  static constexpr std::uint8_t kShares[] = {0, 255, 128, 30};
  page_[MODE_REMAP_AT_SHARE] = kShares[choose.below(4)];
  put(&page_, MODE_REMAP_AT_IDLE, 2, choose.chance(90) ? choose.below(12) : 0);
  return page_;
}

Bytes MapActions::change(Choices& choose) {
  const Bytes before = page_;
  page_[MODE_REMAP_AT_MAKES] = 0;
  switch (choose.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5: page_[MODE_REMAP_AT_MAP] = static_cast<std::uint8_t>(choose.below(3)); break;
    case 6:
    case 7: page_[MODE_REMAP_AT_SHARE] = choose.byte(); break;
    case 8: put(&page_, MODE_REMAP_AT_IDLE, 2, choose.below(30)); break;
    case 9:
    case 10: page_[MODE_REMAP_AT_FLAGS] ^= static_cast<std::uint8_t>(1U << choose.below(3)); break;
    case 11:
    case 12:
      // The drive makes a map from its own counts.
      page_[MODE_REMAP_AT_FLAGS] |= MODE_REMAP_LEARNS | MODE_REMAP_MOVES;
      page_[MODE_REMAP_AT_MAKES] = static_cast<std::uint8_t>(
          (1 + choose.below(MODE_REMAP_METHODS - 1)) << 4U | (1 + choose.below(2)));
      put(&page_, MODE_REMAP_AT_TRIALS, 2, 1);
      put(&page_, MODE_REMAP_AT_HOTTEST, 2, choose.chance(128) ? 1 + choose.below(20) : 0);
      break;
    case 13: put(&page_, MODE_REMAP_AT_UNIT, 2, choose.below(40)); break;
    case 14: put(&page_, MODE_REMAP_AT_FIRST, 4, choose.below(capacity_.blocks)); break;
    default: {
      // Changes any byte, mostly to a value that the drive refuses.
      Bytes page = page_;
      page[2 + choose.below(kPageBytes - 2)] = choose.byte();
      return page;
    }
  }
  const Bytes page = page_;
  // A map that is to be made once is not made again by each later change.
  page_[MODE_REMAP_AT_MAKES] = 0;
  if (choose.chance(20)) page_ = before;  // the drive refused the change
  return page;
}

std::vector<Action> MapActions::stage(Choices& choose) const {
  // The drive would refuse each part of a longer map.
  std::vector<std::uint32_t> slots(std::min(units(), kUnitsMax));
  std::iota(slots.begin(), slots.end(), 0U);
  if (slots.empty()) slots = {0, 1};
  const auto count = static_cast<std::uint32_t>(slots.size());
  if (choose.chance(50)) {
    std::mt19937 random(choose.word());
    std::shuffle(slots.begin(), slots.end(), random);
  }
  // Busy units are exchanged with each other or with any units.
  const std::uint32_t busy_first =
      unit() == 0 || first_ < first_block() ? 0 : (first_ - first_block()) / unit();
  const std::uint32_t busy = unit() == 0 ? 1 : std::max(1U, span_ / unit());
  const std::uint32_t swaps = choose.below(12);
  for (std::uint32_t i = 0; i < swaps; ++i) {
    const std::uint32_t one = (busy_first + choose.below(busy)) % count;
    const std::uint32_t other =
        choose.chance(128) ? (busy_first + choose.below(busy)) % count : choose.word() % count;
    std::swap(slots[one], slots[other]);
  }
  if (choose.chance(10))
    slots[choose.word() % count] = choose.word() % count;  // the table is no
                                                           // map
  const auto id = static_cast<std::uint8_t>(1 + choose.below(2));
  Bytes bytes(2 * slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) put(&bytes, 2 * i, 2, slots[i]);
  std::vector<Action> actions;
  for (std::size_t at = 0; at < bytes.size(); at += kPartBytes) {
    const std::size_t part = std::min(kPartBytes, bytes.size() - at);
    actions.push_back(buffer_action(kWriteBuffer, id, at, part));
    actions.back().list.assign(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                               bytes.begin() + static_cast<std::ptrdiff_t>(at + part));
  }
  return actions;
}

Action MapActions::ask(Choices& choose) const {
  const std::uint32_t what = choose.below(8);
  const auto control = static_cast<std::uint8_t>(choose.chance(64) ? choose.byte() & 0xC0U : 0);
  Action action;
  switch (what) {
    case 0:
    case 1:
    case 2: action.cdb = {0x1A, 0x08, static_cast<std::uint8_t>(control | 0x23), 0, 255, 0}; break;
    case 3:
      action.cdb = {0x1A, 0x08, static_cast<std::uint8_t>(control | 0x20), 0x01, 255, 0};
      break;
    case 4:
      action.cdb = {0x5A, 0x08, static_cast<std::uint8_t>(control | 0x3F), 0xFF, 0, 0, 0, 0x04,
                    0,    0};
      break;
    case 5:
      action = buffer_action(kReadBuffer, kBuffers[choose.below(5)],
                             2 * std::size_t{choose.below(16)}, 512);
      break;
    default:
      action.cdb = {0x4D, 0, static_cast<std::uint8_t>(0x40 | (0x33 + what % 2)), 0, 0, 0, 0, 2,
                    0,    0};
  }
  return action;
}

Bytes streams_page(Choices& choose) {
  Bytes page(STREAM_PAGE_BYTES);
  page[0] = 0x40U | STREAM_PAGE_CODE;
  page[1] = STREAM_PAGE_SUBPAGE;
  put(&page, 2, 2, STREAM_PAGE_BYTES - 4);
  const std::uint32_t streams = choose.below(5);
  for (std::uint32_t i = 0; i < streams; ++i) {
    const std::size_t at = MODE_STREAMS_AT + std::size_t{MODE_STREAM_BYTES} * choose.below(16);
    if (choose.chance(128)) {
      put(&page, at + MODE_STREAM_AT_U, 2, 1 + choose.below(256));
      put(&page, at + MODE_STREAM_AT_P, 2, 1 + choose.below(256));
    }
    page[at + MODE_STREAM_AT_SHARE] = static_cast<std::uint8_t>(choose.below(30));
    page[at + MODE_STREAM_AT_K] = choose.byte();
    page[at + MODE_STREAM_AT_W] = choose.byte();
  }
  if (choose.chance(20)) page[4 + choose.below(STREAM_PAGE_BYTES - 4)] = choose.byte();
  return page;
}

}  // namespace headstack::fuzz
