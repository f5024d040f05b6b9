// SPDX-License-Identifier: Apache-2.0
#include "host/replay/block_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/media/generated_data.hpp"

namespace headstack::replay {
namespace {

// An odd factor, so that the multiplication can be inverted. It comes from the multipliers of P.
// L'Ecuyer's and S. Vigna's generators. SplitMix64, which makes the bytes, uses another.
constexpr std::uint64_t kOfBlock = 0x2545'F491'4F6C'DD1D;
constexpr std::uint64_t kOfVersion = 0xD134'2543'DE82'EF95;
constexpr std::uint64_t kOfVersionInverse = 0x572B'5EE7'7A54'E3BD;

static_assert(kOfVersion * kOfVersionInverse == 1);

}  // namespace

void BlockData::append(std::vector<std::uint8_t>& data, std::uint64_t lba,
                       std::uint32_t version) const {
  const std::size_t end = data.size() + block_bytes_;
  if (version == 0) {
    data.resize(end, 0);
    return;
  }
  data.resize(end);
  media::generate_data(seed_ ^ (lba * kOfBlock + version * kOfVersion),
                       data.data() + end - block_bytes_, block_bytes_);
}

std::vector<std::uint8_t> BlockData::write(std::uint64_t lba, std::uint32_t blocks) {
  std::vector<std::uint8_t> data;
  data.reserve(std::size_t{blocks} * block_bytes_);
  for (std::uint32_t i = 0; i < blocks; ++i) append(data, lba + i, ++newest_.at(lba + i));
  return data;
}

std::vector<std::uint8_t> BlockData::version(std::uint64_t lba, std::uint32_t blocks,
                                             std::uint32_t version) const {
  std::vector<std::uint8_t> data;
  data.reserve(std::size_t{blocks} * block_bytes_);
  for (std::uint32_t i = 0; i < blocks; ++i) append(data, lba + i, version);
  return data;
}

std::optional<std::uint32_t> BlockData::version_in(const std::uint8_t* bytes,
                                                   std::uint64_t lba) const {
  if (std::all_of(bytes, bytes + block_bytes_, [](std::uint8_t byte) { return byte == 0; })) {
    return 0;
  }
  const auto state = media::find_generator_state(bytes, block_bytes_);
  if (!state) return std::nullopt;
  const std::uint64_t version = ((*state ^ seed_) - lba * kOfBlock) * kOfVersionInverse;
  if (version == 0 || version > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(version);
}

std::vector<std::uint8_t> BlockData::expected(std::uint64_t lba, std::uint32_t blocks) const {
  std::vector<std::uint8_t> data;
  data.reserve(std::size_t{blocks} * block_bytes_);
  for (std::uint32_t i = 0; i < blocks; ++i) append(data, lba + i, newest_.get(lba + i));
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
  const std::uint32_t version = newest_.get(block);
  return fmt::format("block {} at byte {}: 0x{:02x} for 0x{:02x} ({})", block, at % block_bytes_,
                     *mine, *theirs,
                     version == 0 ? "never written" : fmt::format("its version {}", version));
}

}  // namespace headstack::replay
