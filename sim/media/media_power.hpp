// SPDX-License-Identifier: Apache-2.0
/// @file
/// The power of the drive, as far as its media are concerned.
///
/// Every write of a sector is announced here before it changes anything. To cut the power at a byte
/// of the media, a caller sets a hook here. Without power nothing is written. Only the sector under
/// the head may still be finished, from the energy of the spindle.
///
/// Units: bytes are those of data and check bytes, as they pass; a sector that is written in part
/// counts in full. Counting begins with the power.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "sim/media/media_geometry.hpp"

namespace headstack::media {

class MediaPower {
 public:
  /// A write of a sector that is about to happen: data and check bytes as the store gets them.
  struct Write {
    std::uint64_t number = 0;      // number of the write since the power came, from 0
    std::uint64_t first_byte = 0;  // number of the write's first byte since the power came
    SectorIndex index = 0;
    const std::uint8_t* data = nullptr;
    const std::uint8_t* check = nullptr;
  };
  using Hook = std::function<void(const Write&)>;

  bool is_on() const { return on_; }
  std::uint64_t write_count() const { return writes_; }
  std::uint64_t byte_count() const { return bytes_; }

  /// `hook` is called before each write while there is power, and may cut it. Empty: none.
  void before_write(Hook hook) { hook_ = std::move(hook); }

  /// Cuts the power: from now on no sector is written, except `finishes`, once.
  void cut(std::optional<SectorIndex> finishes = std::nullopt) {
    on_ = false;
    finishes_ = finishes;
  }
  /// Whether a sector may still be finished.
  bool is_finishing() const { return finishes_.has_value(); }

  /// Called by the store for a write of `bytes` bytes. @return whether it takes place.
  bool admits(SectorIndex index, const std::uint8_t* data, const std::uint8_t* check,
              std::uint64_t bytes) {
    if (on_) {
      const Write write{writes_++, bytes_, index, data, check};
      bytes_ += bytes;
      if (hook_) hook_(write);
    }
    if (on_) return true;
    if (finishes_ != index) return false;
    finishes_.reset();
    return true;
  }

 private:
  bool on_ = true;
  std::optional<SectorIndex> finishes_;
  std::uint64_t writes_ = 0;
  std::uint64_t bytes_ = 0;
  Hook hook_;
};

}  // namespace headstack::media
