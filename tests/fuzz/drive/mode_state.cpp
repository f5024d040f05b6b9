// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/mode_state.hpp"

#include <fmt/format.h>

namespace headstack::fuzz {
namespace {

constexpr std::uint8_t kSubpageFormat = 0x40;
constexpr std::uint8_t kPageCode = 0x3F;
constexpr std::uint8_t kDurations = 0x0A;  // each host has its own subpages
constexpr std::uint8_t kRemap = 0x23;
constexpr std::size_t kRemapFlags = 2, kRemapMap = 3, kRemapMakes = 5;
constexpr std::uint8_t kRemapChooses = 0x04;
constexpr unsigned kCurrent = 0, kSaved = 3;  // values of the page control

bool has_subpage(const Bytes& page) { return (page[0] & kSubpageFormat) != 0; }

std::uint32_t key_of(const Bytes& page) {
  return (page[0] & kPageCode) | (has_subpage(page) ? page[1] << 8U : 0);
}

bool is_shared(const Bytes& page) {
  return !has_subpage(page) || (page[0] & kPageCode) != kDurations;
}

/// The shared pages of a MODE SELECT. Of a page that is there twice, the last.
std::map<std::uint32_t, Bytes> selected_by(const Action& select) {
  std::map<std::uint32_t, Bytes> pages;
  for (Bytes& page : mode_pages_of(select.list, select.cdb[0] == 0x55)) {
    if (is_shared(page)) pages[key_of(page)] = std::move(page);
  }
  return pages;
}

}  // namespace

std::vector<Bytes> mode_pages_of(const Bytes& bytes, bool has_long_header) {
  std::vector<Bytes> pages;
  const std::size_t header = has_long_header ? 8 : 4;
  if (bytes.size() < header) return pages;
  const std::size_t descriptors =
      has_long_header ? std::size_t{bytes[6]} << 8U | bytes[7] : std::size_t{bytes[3]};
  for (std::size_t at = header + descriptors; at + 4 <= bytes.size();) {
    const bool is_long = (bytes[at] & kSubpageFormat) != 0;
    const std::size_t size = is_long ? 4U + (std::size_t{bytes[at + 2]} << 8U | bytes[at + 3])
                                     : 2U + std::size_t{bytes[at + 1]};
    if (at + size > bytes.size()) break;
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    pages.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    at += size;
  }
  return pages;
}

void ModeState::sent(const Action& select) {
  ++version_;
  for (const auto& [key, bytes] : selected_by(select)) {
    Page& page = pages_[key];
    page.was_alone = page.out++ == 0;
    page.before = page.was_alone ? page.certain : std::nullopt;
    page.certain.reset();
  }
}

void ModeState::ended(const Action& select, Selected how) {
  ++version_;
  for (const auto& [key, bytes] : selected_by(select)) {
    Page& page = pages_[key];
    if (how == Selected::kLost) continue;  // its count of outstanding selects stays
    --page.out;
    const bool is_alone = page.out == 0 && page.was_alone;
    if (is_alone && how == Selected::kTaken) page.certain = bytes;
    if (is_alone && how == Selected::kRefused) page.certain = page.before;
    page.before.reset();
  }
}

void ModeState::reset() {
  ++version_;
  for (auto& [key, page] : pages_) {
    if (key == kRemap) continue;
    page.certain.reset();
    page.before.reset();
  }
}

std::string ModeState::find_page_error(const Bytes& page, bool is_saved) const {
  const std::uint32_t key = key_of(page);
  const auto found = pages_.find(key);
  if (found == pages_.end() || !found->second.certain) return {};
  if (is_saved && key != kRemap) return {};
  const Bytes& wanted = *found->second.certain;
  if (page.size() != wanted.size()) {
    return fmt::format("page {:02X}h has {} bytes", page[0] & kPageCode, wanted.size());
  }
  for (std::size_t i = 1; i < page.size(); ++i) {
    if (page[i] == wanted[i]) continue;
    const bool is_open =
        key == kRemap &&
        ((i == kRemapMap && (is_map_open_ || (wanted[kRemapFlags] & kRemapChooses) != 0)) ||
         (i == kRemapMakes && page[i] == 0));
    if (is_open) continue;
    return fmt::format("byte {} of page {:02X}h is {:02X}h by the last MODE SELECT, not {:02X}h", i,
                       page[0] & kPageCode, wanted[i], page[i]);
  }
  return {};
}

std::string ModeState::find_error(const Action& sense, const Bytes& data) const {
  const unsigned control = sense.cdb[2] >> 6U;
  if (control != kCurrent && control != kSaved) return {};
  for (const Bytes& page : mode_pages_of(data, sense.cdb[0] == 0x5A)) {
    if (!is_shared(page)) continue;
    std::string error = find_page_error(page, control == kSaved);
    if (!error.empty()) return error;
  }
  return {};
}

}  // namespace headstack::fuzz
