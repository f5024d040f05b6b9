#include "host/run/cost_meter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headstack::run {
namespace {

// RISC-V privileged architecture: the encodings of MRET, WFI, and of CSRCI and CSRSI for
// mstatus.MIE; the vector of the machine external interrupt, cause 11, in the table at 0
// (firmware/start/start.S).
constexpr std::uint32_t kInterruptsOffInstruction = 0x3004'7073;
constexpr std::uint32_t kInterruptsOnInstruction = 0x3004'6073;
constexpr std::uint32_t kMret = 0x3020'0073;
constexpr std::uint32_t kWfi = 0x1050'0073;
// SLTI with x0 on both sides: a hint (unprivileged ISA), firmware/kernel/waypoint.h.
constexpr std::uint32_t kWaypointInstruction = 0x0000'2013;
constexpr std::uint32_t kWaypointMask = 0x000F'FFFF;
constexpr unsigned kWaypointShift = 20;
constexpr std::uint32_t kExternalVector = 4 * 11;

/// Calls `visit` with each address that an instruction could begin at, and the word there.
template <class Visit>
void for_each_word(const soc::ElfImage& image, Visit&& visit) {
  for (const soc::ElfImage::Segment& segment : image.segments()) {
    for (std::size_t i = 0; i + 4 <= segment.bytes.size(); i += 2) {
      const std::uint32_t word = segment.bytes[i] | segment.bytes[i + 1] << 8 |
                                 segment.bytes[i + 2] << 16 |
                                 static_cast<std::uint32_t>(segment.bytes[i + 3]) << 24;
      visit(segment.address + static_cast<std::uint32_t>(i), word);
    }
  }
}

}  // namespace

CostMeter::CostMeter(const soc::ElfImage& image) {
  for_each_word(image, [this](std::uint32_t address, std::uint32_t word) {
    if (word == kMret) points_.emplace(address, tlm::kReturn);
    if (word == kWfi) points_.emplace(address, tlm::kSleep);
    if (word == kInterruptsOffInstruction) points_.emplace(address, tlm::kInterruptsOff);
    if (word == kInterruptsOnInstruction) points_.emplace(address, tlm::kInterruptsOn);
    if ((word & kWaypointMask) == kWaypointInstruction) {
      points_.emplace(address, tlm::kWaypoint + (word >> kWaypointShift));
    }
  });
}

/// The next point of the pair that began with the last one.
void CostMeter::reach(tlm::Access access, std::uint64_t edge) {
  Sum& sum = sums_[{last_.access, access}];
  ++sum.count;
  sum.cycles += edge - last_.edge - last_.elsewhere;
  last_ = {access, edge, 0};
}

void CostMeter::enter_handler(std::uint64_t edge) {
  woken_ = asleep_;
  entry_cycles_ = std::min(entry_cycles_, edge - risen_);
  taken_ = woken_ ? risen_ : std::max(risen_, edge - entry_cycles_);
  if (!woken_) interrupted_ = last_;
  last_ = {woken_ ? tlm::kWake : tlm::kPreempt, taken_, 0};
  handling_ = true;
  asleep_ = false;
}

void CostMeter::leave_handler(std::uint64_t edge) {
  handling_ = false;
  if (woken_) return;
  reach(tlm::kReturn, edge);
  interrupted_.elsewhere += edge - taken_;
  last_ = interrupted_;
}

/// The instruction of a point is over.
void CostMeter::retire(std::uint64_t edge, tlm::Access point) {
  if (point == tlm::kReturn) {
    if (handling_) leave_handler(edge);
  } else if (point == tlm::kSleep) {
    if (last_.access != tlm::kSleep) reach(point, edge);  // something is pending: no sleep
  } else if (!asleep_) {
    reach(point, edge);
  }
}

void CostMeter::core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) {
  if (activity.interrupt && !level_) risen_ = edge;
  level_ = activity.interrupt;
  if (activity.retirement.valid) {
    if (activity.retirement.pc == kExternalVector) {
      enter_handler(edge);
    } else if (const auto point = points_.find(activity.retirement.pc); point != points_.end()) {
      retire(edge, point->second);
    }
  }
  if (activity.access) {
    reach(tlm::access_of(activity.address, activity.write), edge);
  }
  if (activity.asleep && !asleep_ && !handling_) {
    if (last_.access != tlm::kSleep) reach(tlm::kSleep, edge);
    asleep_ = true;
  }
}

std::string CostMeter::to_csv() const {
  std::string text = "from,to,count,cycles\n";
  for (const auto& [pair, sum] : sums_) {
    text += fmt::format("{},{},{},{}\n", tlm::access_name(pair.first),
                        tlm::access_name(pair.second), sum.count, sum.cycles);
  }
  return text;
}

}  // namespace headstack::run
