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

/// The soonest that a command may end in each of these ways, behind its arrival; nothing: in no
/// way.
struct LimitEnds {
  std::optional<Picoseconds> abort;           // before or during its processing
  std::optional<Picoseconds> recovery_abort;  // B/2E/03: while an error is recovered
  std::optional<Picoseconds> unavailable;     // GOOD, with not all of its data
};

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
  void forget() {
    certain_.reset();
    ++version_;
  }

  /// The soonest that any limit ever sent may end a command, behind its arrival; nothing: none may.
  std::optional<Picoseconds> soonest_abort() const { return soonest_abort_; }
  std::optional<Picoseconds> soonest_unavailable() const { return soonest_unavailable_; }
  /// The total time behind which a command with this descriptor cannot be GOOD any more, nor fail
  /// in any other way that begins behind it; nothing: it is not certain.
  std::optional<Picoseconds> latest(std::uint8_t descriptor) const;

  /// How a command that arrives now with this descriptor may be ended by it, or by those that it
  /// goes on with; nothing: the page is not certain. A page that the host sends meanwhile may
  /// change what the next ones say: version() then differs.
  std::optional<LimitEnds> ends(std::uint8_t descriptor) const;
  /// Counts what may have changed what is in force.
  std::uint32_t version() const { return version_; }

 private:
  void note(Picoseconds limit, std::uint8_t policy);

  std::uint32_t version_ = 0;
  std::uint32_t out_ = 0;  // such commands
  bool was_alone_ = true;
  std::optional<LimitPage> certain_;
  std::optional<Picoseconds> soonest_abort_, soonest_unavailable_;
};

}  // namespace headstack::fuzz
