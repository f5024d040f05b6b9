// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/block_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace headstack::fuzz {
namespace {

constexpr std::uint32_t kUnitBytes = 16;
constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ULL;

/// Block, version and place, and a hash of them.
struct Unit {
  std::uint64_t name = 0;
  std::uint64_t hash = 0;
};

constexpr std::uint64_t hash_of(std::uint64_t name) {
  const std::uint64_t mixed = (name + 1) * kFactor;
  return mixed ^ mixed >> 29U;
}

std::uint64_t name_of(std::uint32_t lba, Version version, std::uint32_t place) {
  return lba | std::uint64_t{version & 0xFFFFFFU} << 32U | std::uint64_t{place} << 56U;
}

Unit unit_at(const std::uint8_t* data) {
  Unit unit;
  std::memcpy(&unit, data, sizeof(unit));
  return unit;
}

std::string describe_unit(const Unit& unit, std::uint32_t lba, std::uint32_t place) {
  if (unit.name == 0 && unit.hash == 0) return "zeros";
  if (unit.hash != hash_of(unit.name)) return "bytes that nobody wrote";
  const auto its_lba = static_cast<std::uint32_t>(unit.name);
  const auto its_place = static_cast<std::uint32_t>(unit.name >> 56U);
  std::string text;
  if (its_lba != lba) text += fmt::format("block {}'s ", its_lba);
  text += fmt::format("version {}", unit.name >> 32U & 0xFFFFFFU);
  if (its_place != place) text += fmt::format(" of byte {}", its_place * kUnitBytes);
  return text;
}

}  // namespace

void fill_block(std::uint8_t* data, std::uint32_t bytes, std::uint32_t lba, Version version) {
  for (std::uint32_t place = 0; place * kUnitBytes < bytes; ++place) {
    const Unit unit{name_of(lba, version, place), hash_of(name_of(lba, version, place))};
    std::memcpy(data + std::size_t{place} * kUnitBytes, &unit, sizeof(unit));
  }
}

std::optional<Version> version_of_block(const std::uint8_t* data, std::uint32_t bytes,
                                        std::uint32_t lba) {
  const Unit first = unit_at(data);
  const auto version = static_cast<Version>(first.name >> 32U & 0xFFFFFFU);
  for (std::uint32_t place = 0; place * kUnitBytes < bytes; ++place) {
    const Unit unit = unit_at(data + std::size_t{place} * kUnitBytes);
    const std::uint64_t name = name_of(lba, version, place);
    if (unit.name != name || unit.hash != hash_of(name)) return std::nullopt;
  }
  return version;
}

std::string describe_block(const std::uint8_t* data, std::uint32_t bytes, std::uint32_t lba) {
  const std::string first = describe_unit(unit_at(data), lba, 0);
  for (std::uint32_t place = 1; place * kUnitBytes < bytes; ++place) {
    const std::string other =
        describe_unit(unit_at(data + std::size_t{place} * kUnitBytes), lba, place);
    if (other != first) {
      return fmt::format("{} up to byte {}, then {}", first, place * kUnitBytes, other);
    }
  }
  return first;
}

}  // namespace headstack::fuzz
