/// @file
/// Duration limits as hosts have sent them (SPC-5: pages T2A and T2B), and when a command may, and
/// must, end by them.
///
/// What a host sends may be in force from then on. It certainly is, behind a MODE SELECT that was
/// GOOD with no other beside it, until something resets the drive or the host sends another.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/bus/never.hpp"
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// Descriptors of a page.
constexpr std::size_t kLimitDescriptors = 7;

struct LimitDescriptor {
  Picoseconds inactive = 0, active = 0, total = 0;  // 0: none
  std::uint8_t inactive_policy = 0, active_policy = 0, total_policy = 0;
};
using LimitPage = std::array<LimitDescriptor, kLimitDescriptors>;

/// Of a MODE SELECT's parameter list: page 07h (T2A) or 08h (T2B); nothing if it has none.
std::optional<LimitPage> limit_page_of(const Bytes& list, std::size_t header_bytes,
                                       std::uint8_t subpage);

/// One host's page for reads, or for writes.
class Limits {
 public:
  /// A MODE SELECT with this page has been sent; and how it ended.
  void sent(const LimitPage& page);
  void ended(const LimitPage& page, bool good);
  /// Something has reset the drive, or may have.
  void forget() { certain_.reset(); }

  /// The soonest that any limit ever sent may end a command, behind its arrival; nothing: none may.
  std::optional<Picoseconds> soonest_abort() const { return soonest_abort_; }
  std::optional<Picoseconds> soonest_unavailable() const { return soonest_unavailable_; }
  /// The total time behind which a command with this descriptor cannot be GOOD any more, nor fail
  /// in any other way that begins behind it; nothing: it is not certain.
  std::optional<Picoseconds> latest(std::uint8_t descriptor) const;

 private:
  void note(Picoseconds limit, std::uint8_t policy);

  std::uint32_t out_ = 0;  // such commands
  bool was_alone_ = true;
  std::optional<LimitPage> certain_;
  std::optional<Picoseconds> soonest_abort_, soonest_unavailable_;
};

}  // namespace headstack::fuzz
