#include "host/options/controller_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

// In C a function may be called like a struct; in C++ it hides its constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/kernel/bytes.h"
#include "firmware/scsi/mode_page.h"
#pragma GCC diagnostic pop

namespace headstack::options {
namespace {

static_assert(std::tuple_size_v<ControllerTimes> == MODE_CONTROLLER_TIMES, "one for each row");

constexpr double kUnitMs = 1e-4;

/// What a command is charged with, of the names that extractions use.
std::vector<std::string> parts_of(bool is_write, bool follows_write, bool is_hit) {
  const std::string verb = is_write ? "write" : "read";
  const std::string behind = follows_write ? "_after_write" : "_after_read";
  std::vector<std::string> parts = {"per_request", verb + (is_hit ? "_hit" : "_miss") + behind,
                                    "data_prep", verb + "_completion"};
  if (is_hit) return parts;
  parts.push_back(is_write ? "write_disconnect" : "read_disconnect" + behind);
  parts.emplace_back("first_reselect");
  return parts;
}

double sum_of(const std::map<std::string, double>& overheads_ms,
              const std::vector<std::string>& parts, const std::string& drive) {
  double sum = 0;
  for (const std::string& part : parts) {
    const auto found = overheads_ms.find(part);
    if (found == overheads_ms.end()) {
      throw OptionError(
          fmt::format("{}: published.overheads_ms.{}: missing; without it there is no --controller "
                      "published",
                      drive, part));
    }
    sum += found->second;
  }
  return sum;
}

}  // namespace

ControllerTimes controller_times(const std::map<std::string, double>& overheads_ms,
                                 const std::string& drive) {
  ControllerTimes times{};
  for (const bool is_write : {false, true}) {
    for (const bool follows_write : {false, true}) {
      for (const bool is_hit : {false, true}) {
        const double sum = sum_of(overheads_ms, parts_of(is_write, follows_write, is_hit), drive);
        const double units = std::round((sum - to_ms(kOwnOverhead)) / kUnitMs);
        if (units > UINT16_MAX) {
          throw OptionError(fmt::format(
              "{}: published.overheads_ms: {} ms for a command; the drive takes at most {} ms",
              drive, sum, UINT16_MAX * kUnitMs));
        }
        times[controller_row(is_write, follows_write, is_hit)] =
            static_cast<std::uint16_t>(std::max(units, 0.0));
      }
    }
  }
  return times;
}

void apply_controller(const ControllerTimes& times, std::uint8_t* page) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    bytes_put_be16(page + MODE_CONTROLLER_AT_TIMES + 2 * i, times[i]);
  }
}

}  // namespace headstack::options
