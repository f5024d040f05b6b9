#include "host/run/block_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/media/generated_data.hpp"

namespace headstack::run {

void BlockData::append(std::vector<std::uint8_t>& data, std::uint64_t lba,
                       std::uint32_t version) const {
  const std::size_t end = data.size() + block_bytes_;
  if (version == 0) {
    data.resize(end, 0);
    return;
  }
  const std::uint64_t state =
      seed_ ^ (lba * 0x2545F4914F6CDD1DULL) ^ (std::uint64_t{version} << 40);
  data.resize(end);
  media::generate_data(state, data.data() + end - block_bytes_, block_bytes_);
}

std::uint32_t& BlockData::version(std::uint64_t lba) {
  const std::uint64_t page = lba / kPageBlocks;
  if (page >= versions_.size()) versions_.resize(page + 1);
  if (versions_[page].empty()) versions_[page].assign(kPageBlocks, 0);
  return versions_[page][lba % kPageBlocks];
}

std::uint32_t BlockData::version_of(std::uint64_t lba) const {
  const std::uint64_t page = lba / kPageBlocks;
  if (page >= versions_.size() || versions_[page].empty()) return 0;
  return versions_[page][lba % kPageBlocks];
}

std::vector<std::uint8_t> BlockData::write(std::uint64_t lba, std::uint32_t blocks) {
  std::vector<std::uint8_t> data;
  data.reserve(std::size_t{blocks} * block_bytes_);
  for (std::uint32_t i = 0; i < blocks; ++i) append(data, lba + i, ++version(lba + i));
  return data;
}

std::vector<std::uint8_t> BlockData::expected(std::uint64_t lba, std::uint32_t blocks) const {
  std::vector<std::uint8_t> data;
  data.reserve(std::size_t{blocks} * block_bytes_);
  for (std::uint32_t i = 0; i < blocks; ++i) append(data, lba + i, version_of(lba + i));
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
  const std::uint32_t version = version_of(block);
  return fmt::format(
      "block {} at byte {}: 0x{:02x} for 0x{:02x} ({})", block, at % block_bytes_, *mine, *theirs,
      version == 0 ? "never written"
                   : fmt::format("written {} time{}", version, version == 1 ? "" : "s"));
}

}  // namespace headstack::run
