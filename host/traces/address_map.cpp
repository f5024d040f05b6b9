// SPDX-License-Identifier: Apache-2.0
#include "host/traces/address_map.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headstack::traces {
namespace {

constexpr std::uint64_t kPageBlocks = 8;

}  // namespace

const char* to_string(AddressMapping mapping) {
  switch (mapping) {
    case AddressMapping::kNone: return "none";
    case AddressMapping::kFold: return "fold";
    case AddressMapping::kScale: return "scale";
  }
  return "?";
}

AddressMap::AddressMap(AddressMapping mapping, std::uint64_t capacity_blocks,
                       std::uint64_t trace_end_lba)
    : mapping_(mapping), capacity_(capacity_blocks), trace_end_(trace_end_lba) {
  if (mapping_ != AddressMapping::kNone && capacity_ == 0) {
    throw std::invalid_argument("an address map needs a capacity of 1 block or more");
  }
  if (mapping_ == AddressMapping::kScale && trace_end_ == 0) {
    throw std::invalid_argument("scaling needs the end of the trace's addresses, 1 or more");
  }
}

void AddressMap::apply(TraceRequest& request) const {
  if (mapping_ == AddressMapping::kNone || request.operation == Operation::kFlush) return;
  const bool scales = mapping_ == AddressMapping::kScale;
  const bool on_page = request.lba % kPageBlocks == 0;
  std::uint64_t lba = scales ? scaled(request) : request.lba % capacity_;
  const std::uint64_t last_start = capacity_ - std::min<std::uint64_t>(request.blocks, capacity_);
  lba = std::min(lba, last_start);
  if (scales && on_page) lba -= lba % kPageBlocks;
  request.lba = lba;
}

std::uint64_t AddressMap::scaled(const TraceRequest& request) const {
  if (request.lba >= trace_end_) {
    throw TraceError(fmt::format(
        "lba: {} lies past the given end {} of the trace; give the block after the trace's last",
        request.lba, trace_end_));
  }
  return static_cast<std::uint64_t>(Uint128{request.lba} * capacity_ / trace_end_);
}

}  // namespace headstack::traces
