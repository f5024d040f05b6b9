// SPDX-License-Identifier: Apache-2.0
#include "host/replay/mode_changes.hpp"

#include <fmt/format.h>

// A function of C may have the name of a struct; in C++ it hides the struct's constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/kernel/bytes.h"
#include "firmware/queue/write_buffer.h"
#include "firmware/unit/mode_page.h"
#pragma GCC diagnostic pop
#include "host/options/cache_option.hpp"
#include "host/options/controller_option.hpp"
#include "host/options/policy_option.hpp"
#include "host/options/remap_option.hpp"
#include "host/options/stream_option.hpp"
#include "host/options/write_threshold_option.hpp"
#include "host/remap/map_file.hpp"
#include "host/replay/map_transfer.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::replay {
namespace {

using initiator::operation_code::kModeSelect6;
using initiator::operation_code::kModeSense6;

// Bits of byte 1 of MODE SENSE and MODE SELECT (SPC).
constexpr std::uint8_t kDisableBlockDescriptors = 0x08;
constexpr std::uint8_t kPageFormat = 0x10;
constexpr std::uint8_t kSavePages = 0x01;

/// Changes the vendor's scheduler page: its policy with parameters, and the margin if one is given.
void apply_policy(const ReplayOptions& options, const ::policy_selection& policy,
                  std::uint8_t* page) {
  MODE_PUT(page, SCHEDULER, POLICY, policy.number);
  MODE_PUT(page, SCHEDULER, FLAGS, policy.flags);
  for (std::uint32_t i = 0; i < POLICY_PARAMETERS_MAX; ++i) {
    MODE_PUT_AT(page, SCHEDULER, PARAMETERS, i, policy.parameter[i]);
  }
  // Instructions that take no time need no margin, and skews do not provide for one. With a margin,
  // a drive would price a block that continues on the next track as if the heads missed it.
  std::optional<std::uint32_t> margin_us = options.predictor_margin_us;
  if (!margin_us && options.ideal_electronics) margin_us = 0;
  if (margin_us) MODE_PUT(page, SCHEDULER, MARGIN, *margin_us);
}

/// A sentence for the user about page 08h as it is in force.
std::string describe_caching(const std::uint8_t* page) {
  return fmt::format(
      "the drive's buffer has no room for the cache that settings.cache asks for: it has {} "
      "segments of {} blocks",
      MODE_GET(page, CACHING, SEGMENTS), MODE_GET(page, CACHING, SEGMENT_BLOCKS));
}

ModeChange cache_change(const std::string& text) {
  const options::CacheSetting cache = options::parse_cache(text);
  return {MODE_PAGE_CACHING,
          options::kCachingPageBytes,
          [cache](std::uint8_t* page) { options::apply_cache(cache, page); },
          "the drive has no caching mode page; use settings.cache=off",
          fmt::format("the drive does not take settings.cache {}; use settings.cache=off, or "
                      "parameters that it "
                      "has",
                      text),
          describe_caching};
}

ModeChange policy_change(const ReplayOptions& options, const std::string& text) {
  return {MODE_PAGE_SCHEDULER, MODE_SCHEDULER_BYTES,
          [&options, policy = options::parse_policy(text)](std::uint8_t* page) {
            apply_policy(options, policy, page);
          },
          "the drive has no scheduler mode page",
          fmt::format("the drive does not take policy '{}'", text)};
}

/// Scans that follow each other without a pause.
ModeChange scan_change(std::uint32_t idle_ms) {
  return {MODE_PAGE_BACKGROUND,
          MODE_BACKGROUND_BYTES,
          [idle_ms](std::uint8_t* page) {
            MODE_PUT(page, BACKGROUND, EN_BMS, 1);
            MODE_PUT(page, BACKGROUND, INTERVAL, 0);
            MODE_PUT(page, BACKGROUND, IDLE, idle_ms);
          },
          "the drive has no background control mode page; leave settings.scan_idle_ms out",
          fmt::format("the drive does not take settings.scan_idle_ms {}; leave it out", idle_ms),
          {},
          MODE_SUBPAGE_BACKGROUND};
}

constexpr const char* kNoMaps =
    "the drive has no mode page of maps; leave remap.maps, remap.use and remap.learn_blocks out";

ModeChange map_change(const std::string& text) {
  return {MODE_PAGE_REMAP, options::kRemapPageBytes,
          [choice = options::parse_map_choice(text)](std::uint8_t* page) {
            options::apply_map_choice(choice, page);
          },
          kNoMaps, fmt::format("the drive does not take remap.use {}", text)};
}

/// Adds the changes for remapping: first the units, then the maps, then which of them is in force.
void add_remap_changes(const ReplayOptions& options, std::vector<ModeChange>& changes) {
  if (!options.remap.is_asked_for()) return;
  std::vector<remap::Map> maps;
  options::RemapUnits units;
  for (const std::string& path : options.remap.maps) {
    maps.push_back(remap::read_map(path));
    const options::RemapUnits its = {maps.back().first_block, maps.back().unit_blocks};
    if (maps.size() > 1 &&
        (its.first_block != units.first_block || its.unit_blocks != units.unit_blocks)) {
      throw options::OptionError(
          fmt::format("{}: its units are not those of {}; give maps of the same first_block and "
                      "unit_blocks",
                      path, options.remap.maps.front()));
    }
    units = its;
  }
  changes.push_back(
      {MODE_PAGE_REMAP, options::kRemapPageBytes,
       [setting = options.remap, units](std::uint8_t* page) {
         options::apply_remap(setting, units, page);
       },
       kNoMaps,
       fmt::format("the drive has no room for maps of units of {} blocks from block {} on, or its "
                   "blocks lie by a map of other units; give --drive another drive, or the media "
                   "a map of their own units",
                   units.unit_blocks, units.first_block)});
  if (maps.empty() && !options.remap.chooses) return;
  ModeChange choice = map_change(options.map_choices.front());
  for (std::size_t i = 0; i < maps.size(); ++i) {
    for (initiator::Command& command : map_commands(maps[i], static_cast<std::uint8_t>(i + 1))) {
      choice.before.push_back(std::move(command));
    }
  }
  choice.before_refused =
      fmt::format("the drive does not take the map of {}: it is for a drive of other units",
                  fmt::join(options.remap.maps, ", "));
  if (options.remap.settles) {
    choice.settles_on = options::parse_map_choice(options.map_choices.front());
  }
  changes.push_back(std::move(choice));
}

void apply_control(const options::HostHabits& habits, std::uint8_t* page) {
  MODE_PUT(page, CONTROL, ALGORITHM, habits.unrestricted ? MODE_ALGORITHM_UNRESTRICTED : 0);
  MODE_PUT(page, CONTROL, QERR, habits.queue_error);
}

}  // namespace

initiator::Command sense_command(const ModeChange& change) {
  initiator::Command command;
  command.direction = initiator::Direction::kIn;
  command.length = kModeHeaderBytes + change.bytes;
  command.cdb = {kModeSense6,
                 kDisableBlockDescriptors,
                 change.page,
                 change.subpage,
                 static_cast<std::uint8_t>(command.length),
                 0};
  return command;
}

initiator::Command select_command(std::vector<std::uint8_t> list, bool save) {
  initiator::Command command;
  command.direction = initiator::Direction::kOut;
  const auto flags = static_cast<std::uint8_t>(kPageFormat | (save ? kSavePages : 0));
  command.cdb = {kModeSelect6, flags, 0, 0, static_cast<std::uint8_t>(list.size()), 0};
  command.data = std::move(list);
  return command;
}

SettingChanges setting_changes(const ReplayOptions& options) {
  SettingChanges changes;
  for (const std::string& text : options.caches) {
    changes[static_cast<std::size_t>(options::Setting::kCache)].push_back(cache_change(text));
  }
  for (const std::string& text : options.policies) {
    changes[static_cast<std::size_t>(options::Setting::kPolicy)].push_back(
        policy_change(options, text));
  }
  for (const std::string& text : options.map_choices) {
    changes[static_cast<std::size_t>(options::Setting::kMap)].push_back(map_change(text));
  }
  return changes;
}

std::vector<ModeChange> mode_changes(const ReplayOptions& options,
                                     const drive::DriveDescription& description) {
  std::vector<ModeChange> changes = {policy_change(options, options.policies.front())};
  if (!options.streams.empty()) {
    const std::vector<options::StreamSetting> streams = options::parse_streams(options.streams);
    changes.push_back({STREAM_PAGE_CODE,
                       STREAM_PAGE_BYTES,
                       [streams](std::uint8_t* page) { options::apply_streams(streams, page); },
                       "the drive has no mode page of streams; leave settings.streams out",
                       "the drive does not take settings.streams as they were given; leave it out",
                       {},
                       STREAM_PAGE_SUBPAGE});
  }
  const options::CacheSetting cache = options::parse_cache(options.caches.front());
  if (cache.use != options::CacheUse::kOff) changes.push_back(cache_change(options.caches.front()));
  const options::WriteThreshold threshold = options::parse_write_threshold(options.write_threshold);
  if (threshold.threshold != WRITE_THRESHOLD_NONE) {
    changes.push_back(
        {MODE_PAGE_WRITE_BUFFER, options::kWriteBufferPageBytes,
         [threshold](std::uint8_t* page) { options::apply_write_threshold(threshold, page); },
         "the drive has no write buffer mode page; leave settings.write_threshold out",
         fmt::format("the drive does not take settings.write_threshold {}; leave it out",
                     options.write_threshold)});
  }
  if (options.scan_idle_ms) changes.push_back(scan_change(*options.scan_idle_ms));
  add_remap_changes(options, changes);
  const options::HostHabits& habits = options.habits;
  if (habits.queue_error != 0 || habits.unrestricted) {
    changes.push_back(
        {MODE_PAGE_CONTROL, MODE_CONTROL_BYTES,
         [habits](std::uint8_t* page) { apply_control(habits, page); },
         "the drive has no control mode page; leave settings.qerr and settings.reordering out",
         fmt::format("the drive does not take settings.qerr {} and settings.reordering {}",
                     habits.queue_error, habits.unrestricted ? "unrestricted" : "restricted")});
  }
  if (options.published_controller) {
    const drive::Published& published = description.published;
    const double write_settle_ms = description.design.write_settle_ms;
    const options::ControllerTimes times =
        options::controller_times(published.overheads_ms, options.drive, write_settle_ms);
    const options::ControllerStages stages =
        options::controller_stages(published.overheads_ms, options.drive, write_settle_ms);
    const std::uint16_t access = options::controller_access(published.overheads_ms, options.drive);
    const options::ControllerBuffer buffer =
        options::controller_buffer(published.cache, options.drive, published.overheads_ms);
    const std::string refused =
        "the drive does not take drive.controller=published; use drive.controller=own";
    changes.push_back({MODE_PAGE_CONTROLLER, options::kControllerPageBytes,
                       [times, stages, access, buffer](std::uint8_t* page) {
                         options::apply_controller(times, stages, buffer, page);
                         options::apply_access(access, page);
                       },
                       "the drive has no controller mode page; use drive.controller=own", refused});
    if (buffer.full_ratio) {
      changes.push_back(
          {MODE_PAGE_DISCONNECT, options::kDisconnectPageBytes,
           [buffer](std::uint8_t* page) { options::apply_disconnect(buffer, page); },
           "the drive has no disconnect-reconnect mode page; use drive.controller=own", refused});
    }
  }
  return changes;
}

void turn_into_select(std::vector<std::uint8_t>& list, const ModeChange& change) {
  list[0] = 0;                     // mode data length: reserved in MODE SELECT (SPC-2 8.3.3)
  list[kModeHeaderBytes] &= 0x7F;  // PS: reserved, too
  change.apply(&list[kModeHeaderBytes]);
}

}  // namespace headstack::replay
