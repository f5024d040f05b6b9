#include "host/run/way_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headstack::run {
namespace {

// More than anybody reads, and variants of a pair likewise.
constexpr std::size_t kPairs = 60;
constexpr std::size_t kVariants = 6;

/// One count of cycles on one way.
struct Variant {
  const WayTaken* way;
  std::uint64_t cycles;
  std::uint64_t count;
};

/// The last instruction that both ways have in common; 0 when they begin apart.
std::uint32_t parting(const WayTaken& one, const WayTaken& other) {
  const auto [in_one, in_other] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  (void)in_other;
  return in_one == one.begin() ? 0 : *(in_one - 1);
}

std::string describe(const Variant& variant, const Variant& most,
                     const std::function<std::string(std::uint32_t)>& name) {
  std::string text = fmt::format("{:>16} x {:>6}", variant.cycles, variant.count);
  if (variant.way == most.way) {
    if (variant.cycles != most.cycles) text += "  on the same way";
  } else if (const std::uint32_t at = parting(*most.way, *variant.way); at != 0) {
    text += fmt::format("  parts at {:#x} {}", at, name(at));
  } else {
    text += "  another copy of the code, or another caller";
  }
  return text + "\n";
}

}  // namespace

void WayLog::ended(const Pair& pair, std::uint64_t cycles, const WayTaken& way) {
  std::vector<Way>& ways = ways_[pair];
  const auto found = std::find_if(ways.begin(), ways.end(),
                                  [&way](const Way& known) { return known.addresses == way; });
  Way& taken = found != ways.end() ? *found : ways.emplace_back(Way{way, {}});
  ++taken.counts[cycles];
}

std::map<WayLog::Pair, WayLog::Sum> WayLog::sums() const {
  std::map<Pair, Sum> sums;
  for (const auto& [pair, ways] : ways_) {
    Sum& sum = sums[pair];
    for (const Way& way : ways) {
      for (const auto& [cycles, times] : way.counts) {
        sum.count += times;
        sum.cycles += cycles * times;
      }
    }
  }
  return sums;
}

struct WayLog::Spread {
  const Pair* pair;
  std::vector<Variant> variants;
  double cycles = 0;  // off the mean
};

std::string WayLog::to_text(const std::function<std::string(std::uint32_t)>& name) const {
  std::vector<Spread> spreads;
  for (const auto& [pair, ways] : ways_) {
    Spread spread{&pair, {}, 0};
    double sum = 0;
    double count = 0;
    for (const Way& way : ways) {
      for (const auto& [cycles, times] : way.counts) {
        spread.variants.push_back({&way.addresses, cycles, times});
        sum += static_cast<double>(cycles * times);
        count += static_cast<double>(times);
      }
    }
    for (const Variant& variant : spread.variants) {
      spread.cycles += std::abs(static_cast<double>(variant.cycles) - sum / count) *
                       static_cast<double>(variant.count);
    }
    if (spread.cycles >= 1) spreads.push_back(std::move(spread));
  }
  std::stable_sort(spreads.begin(), spreads.end(),
                   [](const Spread& a, const Spread& b) { return a.cycles > b.cycles; });
  if (spreads.size() > kPairs) spreads.resize(kPairs);
  std::string text = " spread  pair\n";
  for (Spread& spread : spreads) {
    const auto& [before, from, to] = *spread.pair;
    text += fmt::format("{:>7.0f}  [{}] {} > {}\n", spread.cycles, tlm::access_name(before),
                        tlm::access_name(from), tlm::access_name(to));
    std::stable_sort(spread.variants.begin(), spread.variants.end(),
                     [](const Variant& a, const Variant& b) { return a.count > b.count; });
    const Variant most = spread.variants.front();
    if (spread.variants.size() > kVariants) spread.variants.resize(kVariants);
    for (const Variant& variant : spread.variants) text += describe(variant, most, name);
  }
  return text;
}

}  // namespace headstack::run
