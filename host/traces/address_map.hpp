// A trace's addresses on a drive of another size.
#pragma once

#include <cstdint>

#include "host/traces/trace.hpp"

namespace headstack::traces {

enum class AddressMapping { kNone, kFold, kScale };
const char* to_string(AddressMapping mapping);

/// Moves requests to blocks 0 .. capacity - 1; their lengths stay. A flush has no address.
///
/// kFold takes the address modulo the capacity: what lay together stays together, and distances
/// below the capacity stay what they were. kScale stretches or shrinks the whole range, in 128-bit
/// integers, and rounds down: order and relative distances stay. An address that was a multiple of
/// 8 blocks (4 KiB) is rounded down to one again. A request that would reach past the end is moved
/// back as far as it must; one that is larger than the drive begins at 0, and still is too large.
class AddressMap {
 public:
  /// `trace_end_lba`, for kScale only, is the block behind the last that the trace names.
  /// Throws std::invalid_argument when the capacity, or for kScale the end, is 0.
  AddressMap(AddressMapping mapping, std::uint64_t capacity_blocks, std::uint64_t trace_end_lba);

  /// Throws TraceError (without a place) where kScale was told too small a `trace_end_lba`.
  void apply(TraceRequest& request) const;

 private:
  std::uint64_t scaled(const TraceRequest& request) const;

  AddressMapping mapping_;
  std::uint64_t capacity_;
  std::uint64_t trace_end_;
};

}  // namespace headstack::traces
