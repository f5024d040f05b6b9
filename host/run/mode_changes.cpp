#include "host/run/mode_changes.hpp"

#include <fmt/format.h>

// In C a function may be called like a struct; in C++ it hides its constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/kernel/bytes.h"
#include "firmware/scsi/mode_page.h"
#pragma GCC diagnostic pop
#include "host/run/cache_option.hpp"
#include "host/run/controller_option.hpp"

namespace headstack::run {
namespace {

constexpr std::uint32_t kSchedulerPageBytes = 24;

/// The vendor's scheduler page: only the policy in it changes, with its parameters, and the margin
/// where one is asked for.
void apply_policy(const RunOptions& options, const ::policy_selection& policy, std::uint8_t* page) {
  page[MODE_SCHEDULER_AT_POLICY] = policy.number;
  page[MODE_SCHEDULER_AT_FLAGS] = policy.flags;
  for (std::uint32_t i = 0; i < POLICY_PARAMETERS_MAX; ++i) {
    bytes_put_be32(page + MODE_SCHEDULER_AT_PARAMETERS + 4 * i, policy.parameter[i]);
  }
  // Instructions that take no time need no margin, and a drive that allows for one prices a block
  // that goes on on the next track as if it missed it: no skew gives it the time.
  std::optional<std::uint32_t> margin_us = options.predictor_margin_us;
  if (!margin_us && options.ideal_electronics) margin_us = 0;
  if (margin_us) {
    bytes_put_be16(page + MODE_SCHEDULER_AT_MARGIN, static_cast<std::uint16_t>(*margin_us));
  }
}

/// Page 08h as it is in force.
std::string describe_caching(const std::uint8_t* page) {
  return fmt::format("the drive's buffer has no room for --cache as it was asked for: it has {} "
                     "segments of {} blocks",
                     page[kCachingSegments], bytes_get_be16(page + kCachingSegmentSize));
}

}  // namespace

std::vector<ModeChange> mode_changes(const RunOptions& options, const ::policy_selection& policy,
                                     const drive::Published& published) {
  std::vector<ModeChange> changes;
  changes.push_back(
      {MODE_PAGE_SCHEDULER, kSchedulerPageBytes,
       [&options, policy](std::uint8_t* page) { apply_policy(options, policy, page); },
       "the drive has no scheduler mode page",
       fmt::format("the drive does not take policy '{}'", options.policy)});
  const CacheSetting cache = parse_cache(options.cache);
  if (cache.use != CacheUse::kOff) {
    changes.push_back({MODE_PAGE_CACHING, kCachingPageBytes,
                       [cache](std::uint8_t* page) { apply_cache(cache, page); },
                       "the drive has no caching mode page; use --cache off",
                       fmt::format("the drive does not take --cache {}; use --cache off, or "
                                   "parameters that it has",
                                   options.cache),
                       describe_caching});
  }
  if (options.published_controller) {
    const ControllerTimes times = controller_times(published.overheads_ms, options.drive);
    changes.push_back({MODE_PAGE_CONTROLLER, kControllerPageBytes,
                       [times](std::uint8_t* page) { apply_controller(times, page); },
                       "the drive has no controller mode page; use --controller own",
                       "the drive does not take --controller published; use --controller own"});
  }
  return changes;
}

void turn_into_select(std::vector<std::uint8_t>& list, const ModeChange& change) {
  list[0] = 0;                     // mode data length is reserved in MODE SELECT (SPC-2 8.3.3)
  list[kModeHeaderBytes] &= 0x3F;  // and so is PS
  change.apply(&list[kModeHeaderBytes]);
}

}  // namespace headstack::run
