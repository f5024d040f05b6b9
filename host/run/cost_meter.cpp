#include "host/run/cost_meter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/run/program_points.hpp"

namespace headstack::run {

CostMeter::CostMeter(const soc::ElfImage& image) : points_(program_points(image)), image_(image) {}

/// The next point of the pair that began with the last one.
void CostMeter::reach(tlm::Access access, std::uint64_t edge) {
  ways_.ended({last_.before, last_.access, access}, edge - last_.edge - last_.elsewhere, last_.way);
  last_ = {tlm::tells_way(last_.access) ? last_.access : last_.before, access, edge, 0, {}};
}

void CostMeter::enter_handler(std::uint64_t edge) {
  woken_ = asleep_;
  entry_cycles_ = std::min(entry_cycles_, edge - risen_);
  taken_ = woken_ ? risen_ : std::max(risen_, edge - entry_cycles_);
  if (!woken_) interrupted_ = last_;
  const tlm::Access entry = woken_ ? tlm::kWake : tlm::kPreempt;
  last_ = {entry, entry, taken_, 0, {}};
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
    last_.way.push_back(activity.retirement.pc);
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

std::string CostMeter::ways_to_text() const {
  return ways_.to_text([this](std::uint32_t address) {
    const soc::ElfImage::Function* function = image_.function_at(address);
    return function != nullptr ? function->name : std::string("(no symbol)");
  });
}

std::string CostMeter::to_csv() const {
  std::string text = "before,from,to,count,cycles\n";
  for (const auto& [way, sum] : ways_.sums()) {
    text += fmt::format("{},{},{},{},{}\n", tlm::access_name(way[0]), tlm::access_name(way[1]),
                        tlm::access_name(way[2]), sum.count, sum.cycles);
  }
  return text;
}

}  // namespace headstack::run
