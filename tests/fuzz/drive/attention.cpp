#include "tests/fuzz/drive/attention.hpp"

namespace headstack::fuzz {
namespace {

/// ASC and ASCQ (SPC-2 annex C.2), in the order of Attention.
constexpr std::uint16_t kCodes[] = {0x2900, 0x2902, 0x2903, 0x2A01, 0x2F00};

}  // namespace

Attentions::Attentions() {
  for (auto& of_host : raised_at_) of_host.fill(kOpen);
  reset_at_.fill(kOpen);
}

void Attentions::raise_for_others(std::size_t host, Attention attention, Picoseconds at) {
  for (std::size_t other = 0; other < kHosts; ++other) {
    if (other != host) raised_at_[other][static_cast<std::size_t>(attention)] = at;
  }
}

bool Attentions::report(std::size_t host, std::uint8_t asc, std::uint8_t ascq,
                        Picoseconds first, Picoseconds last) {
  const auto code = static_cast<std::uint16_t>(asc << 8U | ascq);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (kCodes[i] != code) continue;
    Picoseconds& raised_at = raised_at_[host][i];
    const bool was_raised = raised_at != kOpen;
    if (raised_at <= first) raised_at = kOpen;
    if (asc == 0x29) may_have_reported(host, last);
    return was_raised;
  }
  return false;
}

void Attentions::may_have_reported(std::size_t host, Picoseconds at) {
  if (reset_at_[host] <= at) reset_at_[host] = kOpen;
}

}  // namespace headstack::fuzz
