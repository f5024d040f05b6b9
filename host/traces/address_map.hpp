// SPDX-License-Identifier: Apache-2.0
// Maps a trace's addresses to a drive of another size.
#pragma once

#include <cstdint>

#include "host/traces/trace.hpp"

namespace headstack::traces {

enum class AddressMapping { kNone, kFold, kScale };
const char* to_string(AddressMapping mapping);

/// Maps requests to blocks 0 .. capacity - 1, with unchanged lengths. A flush has no address.
///
/// kFold takes the address modulo the capacity: neighbours stay neighbours, and distances below the
/// capacity do not change. kScale stretches or shrinks the whole range, in 128-bit integers, and
/// rounds down: order and relative distances are kept. A multiple of 8 blocks (4 KiB) is rounded
/// down to such a multiple again. A request that would reach past the end is moved back to fit. A
/// request larger than the drive begins at 0, and is still too large.
class AddressMap {
 public:
  /// `trace_end_lba`, for kScale only, is the trace's last block + 1. Throws std::invalid_argument
  /// when the capacity, or for kScale the end, is 0.
  AddressMap(AddressMapping mapping, std::uint64_t capacity_blocks, std::uint64_t trace_end_lba);

  /// Maps the request's address. Throws TraceError (without a place) if `trace_end_lba` was too
  /// small for kScale.
  void apply(TraceRequest& request) const;

 private:
  std::uint64_t scaled(const TraceRequest& request) const;

  AddressMapping mapping_;
  std::uint64_t capacity_;
  std::uint64_t trace_end_;
};

}  // namespace headstack::traces
