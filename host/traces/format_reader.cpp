// SPDX-License-Identifier: Apache-2.0
#include "host/traces/format_reader.hpp"

#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::uint64_t kBlockBytes = 512;

}  // namespace

void FormatReader::skip(std::string_view name) {
  const auto found = skipped_.find(name);
  if (found != skipped_.end()) {
    ++found->second;
  } else {
    skipped_.emplace(name, 1);
  }
}

bool FormatReader::set_bytes(RawRequest& raw, std::uint64_t offset, std::uint64_t length) {
  if (length == 0) {
    skip("zero-length");
    return false;
  }
  if (offset > kLargestLba * kBlockBytes || length > kMostBlocks * kBlockBytes) {
    fail("offset", fmt::format("{} bytes at byte {} are more than a drive has", length, offset),
         "correct the line");
  }
  const std::uint64_t first = offset / kBlockBytes;
  const std::uint64_t end = (offset + length + kBlockBytes - 1) / kBlockBytes;
  raw.widened = offset % kBlockBytes != 0 || length % kBlockBytes != 0;
  return set_blocks(raw, first, end - first);
}

bool FormatReader::set_blocks(RawRequest& raw, std::uint64_t lba, std::uint64_t blocks) {
  if (blocks == 0) {
    skip("zero-length");
    return false;
  }
  if (lba > kLargestLba || blocks > kMostBlocks) {
    fail("blocks", fmt::format("{} blocks at block {} are more than a drive has", blocks, lba),
         "correct the line");
  }
  raw.request.lba = lba;
  raw.request.blocks = static_cast<std::uint32_t>(blocks);
  return true;
}

}  // namespace headstack::traces
