#include "host/run/block_data.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headstack::run {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): a published generator, the same on every host.
std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

}  // namespace

void BlockData::append(std::vector<std::uint8_t>& data, std::uint64_t lba,
                       std::uint32_t version) const {
  const std::size_t end = data.size() + block_bytes_;
  if (version == 0) {
    data.resize(end, 0);
    return;
  }
  std::uint64_t state = seed_ ^ (lba * 0x2545F4914F6CDD1DULL) ^ (std::uint64_t{version} << 40);
  while (data.size() < end) {
    std::uint64_t word = split_mix(state);
    for (int i = 0; i < 8 && data.size() < end; ++i, word >>= 8) {
      data.push_back(static_cast<std::uint8_t>(word));
    }
  }
}

std::vector<std::uint8_t> BlockData::write(std::uint64_t lba, std::uint32_t blocks) {
  std::vector<std::uint8_t> data;
  data.reserve(std::size_t{blocks} * block_bytes_);
  for (std::uint32_t i = 0; i < blocks; ++i) append(data, lba + i, ++versions_[lba + i]);
  return data;
}

std::vector<std::uint8_t> BlockData::expected(std::uint64_t lba, std::uint32_t blocks) const {
  std::vector<std::uint8_t> data;
  data.reserve(std::size_t{blocks} * block_bytes_);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const auto version = versions_.find(lba + i);
    append(data, lba + i, version == versions_.end() ? 0 : version->second);
  }
  return data;
}

std::optional<std::string> BlockData::first_difference(const std::vector<std::uint8_t>& read,
                                                       const std::vector<std::uint8_t>& expected,
                                                       std::uint64_t lba) const {
  if (read.size() != expected.size()) {
    return fmt::format("{} bytes came for {}", read.size(), expected.size());
  }
  const auto [mine, theirs] = std::mismatch(read.begin(), read.end(), expected.begin());
  if (mine == read.end()) return std::nullopt;
  const auto at = static_cast<std::uint64_t>(mine - read.begin());
  const std::uint64_t block = lba + at / block_bytes_;
  const auto version = versions_.find(block);
  return fmt::format(
      "block {} at byte {}: 0x{:02x} for 0x{:02x} ({})", block, at % block_bytes_, *mine, *theirs,
      version == versions_.end()
          ? "never written"
          : fmt::format("written {} time{}", version->second, version->second == 1 ? "" : "s"));
}

}  // namespace headstack::run
