// SPDX-License-Identifier: Apache-2.0
// Exact division of 32-bit numbers by a divisor that is known in advance, with one multiplication.
//
// For M = ceil(2^64 / d), every 32-bit n and d >= 2:
//
//     floor(n / d) = floor(M * n / 2^64)
//
// Source: Lemire, Kaser, Kurz: Faster remainder by direct computation, 2019, theorem 1 with N = L =
// 32. d = 1 has no 64-bit M and is stored as M = 0.
#pragma once

#include <cstdint>

#include "sim/units.hpp"

namespace headstack {

class Divider {
 public:
  Divider() = default;
  explicit Divider(std::uint32_t divisor)
      : magic_(divisor <= 1 ? 0 : ~std::uint64_t{0} / divisor + 1), divisor_(divisor) {}

  std::uint32_t divisor() const { return divisor_; }
  std::uint32_t quotient(std::uint32_t n) const {
    const auto q = static_cast<std::uint32_t>((static_cast<Uint128>(magic_) * n) >> 64);
    return magic_ == 0 ? n : q;
  }
  std::uint32_t remainder(std::uint32_t n) const { return n - quotient(n) * divisor_; }

 private:
  std::uint64_t magic_ = 0;
  std::uint32_t divisor_ = 1;
};

}  // namespace headstack
