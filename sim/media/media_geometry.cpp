// SPDX-License-Identifier: Apache-2.0
#include "sim/media/media_geometry.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "sim/assert.hpp"
#include "sim/media/chunk_source.hpp"

namespace headstack::media {
namespace {

std::string range_error(const char* name, std::uint64_t value, std::uint64_t least,
                        std::uint64_t most) {
  if (value >= least && value <= most) return {};
  return std::string(name) + " is " + std::to_string(value) + ", but must lie in " +
         std::to_string(least) + " .. " + std::to_string(most);
}

}  // namespace

std::string find_geometry_error(const MediaGeometry& geometry, bool has_own_code) {
  std::string error = range_error("sector_count", geometry.sector_count, 1, kMaxSectorCount);
  if (error.empty()) error = range_error("sector_bytes", geometry.sector_bytes, 1, kMaxSectorBytes);
  if (error.empty()) error = range_error("check_bytes", geometry.check_bytes, 0, kMaxCheckBytes);
  if (error.empty() && !has_own_code && !default_check_code(geometry.check_bytes)) {
    error = "check_bytes is " + std::to_string(geometry.check_bytes) +
            ", but without a check code of its own a drive has 4 (CRC-32) or 0";
  }
  return error;
}

SectorFormat::SectorFormat(const MediaGeometry& geometry, CheckCode check_code)
    : geometry_(geometry), check_code_(std::move(check_code)) {
  const std::string error = find_geometry_error(geometry, static_cast<bool>(check_code_));
  HEADSTACK_ASSERT(error.empty(), error.c_str());
  if (!check_code_) check_code_ = default_check_code(geometry.check_bytes);
  formatted_slot_.assign(std::size_t{geometry.sector_bytes} + geometry.check_bytes, 0);
  encode(formatted_slot_.data(), formatted_slot_.data() + geometry.sector_bytes);
}

std::uint64_t SectorFormat::chunk_count() const {
  return (geometry_.sector_count + kChunkSectors - 1) / kChunkSectors;
}

void SectorFormat::encode(const std::uint8_t* data, std::uint8_t* check) const {
  check_code_(data, geometry_.sector_bytes, check);
}

bool SectorFormat::check_matches(const std::uint8_t* data, const std::uint8_t* check) const {
  if (geometry_.check_bytes == 0) return true;
  std::array<std::uint8_t, kMaxCheckBytes> expected{};
  encode(data, expected.data());
  return std::memcmp(expected.data(), check, geometry_.check_bytes) == 0;
}

}  // namespace headstack::media
