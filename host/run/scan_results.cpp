// SPDX-License-Identifier: Apache-2.0
#include "host/run/scan_results.hpp"

#include <fmt/format.h>

#include "host/replay/big_endian.hpp"
#include "host/run/drive_data.hpp"

namespace headstack::run {
namespace {

using replay::big_endian;

constexpr std::uint16_t kPageBytes = 1024;
constexpr std::size_t kHeaderBytes = 4;  // length of the header of the page or of a parameter
constexpr std::size_t kStatusBytes = 12;
constexpr std::size_t kResultBytes = 20;

}  // namespace

ScanResults read_scan_results(session::Session& session) {
  ScanResults results;
  std::vector<std::uint8_t> page;
  try {
    page = log_page_of(session, LOG_PAGE_SCAN, kPageBytes);
  } catch (const session::SessionError&) {
    return results;
  }
  constexpr std::size_t kStatusAt = 2 * kHeaderBytes;
  if (page.size() < kStatusAt + kStatusBytes) return results;
  results.completed = big_endian(page, kStatusAt + 6, 2);
  results.progress = big_endian(page, kStatusAt + 8, 2);
  std::size_t at = kStatusAt + kStatusBytes + kHeaderBytes;
  for (; at + kResultBytes <= page.size(); at += kHeaderBytes + kResultBytes) {
    const std::uint64_t high = big_endian(page, at + 12, 4);
    results.blocks.push_back(high << 32U | big_endian(page, at + 16, 4));
  }
  return results;
}

std::string scan_text(const ScanResults& results) {
  return fmt::format(
      "  background scan: {} completed, the next one {:.1f} % done; bad blocks: {}\n",
      results.completed, results.progress * 100.0 / 65536.0,
      results.blocks.empty() ? "none" : fmt::format("{}", fmt::join(results.blocks, ", ")));
}

}  // namespace headstack::run
