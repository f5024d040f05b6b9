// SPDX-License-Identifier: Apache-2.0
#include "host/observe/stage_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headstack::observe {
namespace {

using report::exact_ms;
using report::kStageCount;
using report::RecordFault;
using report::Stage;

constexpr unsigned bit(CommandKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kRefused = bit(CommandKind::kRefused);
constexpr unsigned kPlain = bit(CommandKind::kPlain);
constexpr unsigned kMedia = bit(CommandKind::kMedia);
constexpr unsigned kHit = bit(CommandKind::kHit);
constexpr unsigned kJoined = bit(CommandKind::kJoined);
constexpr unsigned kReported = bit(CommandKind::kReported);
constexpr unsigned kQueued = kPlain | kMedia | kHit | kJoined | kReported;
constexpr unsigned kAll = kQueued | kRefused;
constexpr unsigned kServed = kMedia | kJoined;

struct Rule {
  Stage from;
  Stage to;
  unsigned kinds;
};

constexpr Rule kRules[] = {
    // The command is on the bus, once, and the firmware reads it.
    {Stage::kIssued, Stage::kSelection, kAll},
    {Stage::kSelection, Stage::kCommand, kAll},
    {Stage::kCommand, Stage::kStatus, kRefused},
    {Stage::kCommand, Stage::kQueued, kQueued},

    // A write's data arrive while it waits, as long as there is room.
    {Stage::kQueued, Stage::kBusData, kServed | kReported},
    {Stage::kBusData, Stage::kQueued, kServed | kReported},
    {Stage::kBusData, Stage::kChosen, kServed},
    {Stage::kBusData, Stage::kSettle, kServed},

    // The command leaves the queue.
    {Stage::kQueued, Stage::kStatus, kPlain | kReported},
    {Stage::kQueued, Stage::kBusWait, kHit | kPlain},
    {Stage::kQueued, Stage::kChosen, kPlain | kServed},
    {Stage::kQueued, Stage::kSettle, kServed},  // a write on its track, which has not settled for
                                                // writing

    // A read joins the media's work at its present stage.
    {Stage::kQueued, Stage::kSeek, kJoined},
    {Stage::kQueued, Stage::kSettle, kJoined},
    {Stage::kQueued, Stage::kHeadSwitch, kJoined},
    {Stage::kQueued, Stage::kRotation, kJoined},
    {Stage::kQueued, Stage::kMediaTransfer, kJoined},
    {Stage::kQueued, Stage::kBusWait, kJoined},
    {Stage::kQueued, Stage::kBusData, kJoined},
    {Stage::kChosen, Stage::kStatus, kPlain},
    {Stage::kChosen, Stage::kMediaTransfer, kJoined},

    // A movement has its parts in this order, without those that take no time.
    {Stage::kChosen, Stage::kSeek, kServed},
    {Stage::kChosen, Stage::kSettle, kServed},
    {Stage::kChosen, Stage::kHeadSwitch, kServed},
    {Stage::kSeek, Stage::kSettle, kServed},
    {Stage::kSeek, Stage::kHeadSwitch, kServed},
    {Stage::kSettle, Stage::kHeadSwitch, kServed},
    {Stage::kHeadSwitch, Stage::kSettle, kServed},  // settling for writing
    {Stage::kSeek, Stage::kRotation, kServed},
    {Stage::kSettle, Stage::kRotation, kServed},
    {Stage::kHeadSwitch, Stage::kRotation, kServed},
    // The arm may go to an edge of the surface first, and then to the command's cylinder before it
    // has settled for writing. It may also move again in a retry.
    {Stage::kSettle, Stage::kSeek, kServed},
    {Stage::kRotation, Stage::kSeek, kServed},
    {Stage::kRotation, Stage::kSettle, kServed},
    {Stage::kRotation, Stage::kHeadSwitch, kServed},

    // Sectors are transferred. A run may stop early, and another may follow.
    {Stage::kChosen, Stage::kRotation, kServed},
    {Stage::kRotation, Stage::kMediaTransfer, kServed},
    // The header of a write's sector may pass before the head has settled for writing.
    {Stage::kSettle, Stage::kMediaTransfer, kServed},
    {Stage::kHeadSwitch, Stage::kMediaTransfer, kServed},
    {Stage::kRotation, Stage::kChosen, kServed},
    {Stage::kMediaTransfer, Stage::kRotation, kServed},
    {Stage::kMediaTransfer, Stage::kChosen, kServed},

    // The command is on its track without data, or without room for them.
    {Stage::kChosen, Stage::kBusWait, kServed | kPlain},
    {Stage::kChosen, Stage::kBusData, kServed},
    {Stage::kRotation, Stage::kBusWait, kServed},
    {Stage::kRotation, Stage::kBusData, kServed},
    {Stage::kBusWait, Stage::kRotation, kServed},
    {Stage::kBusData, Stage::kRotation, kServed},
    // The command was suspended for another that holds the bus, and chosen again.
    {Stage::kBusWait, Stage::kChosen, kServed},

    // Data and status follow the media's work.
    {Stage::kMediaTransfer, Stage::kBusWait, kServed},
    {Stage::kMediaTransfer, Stage::kBusData, kServed},
    {Stage::kBusWait, Stage::kBusData, kHit | kServed},
    {Stage::kBusData, Stage::kBusWait, kHit | kServed},
    {Stage::kBusWait, Stage::kStatus, kHit | kServed | kPlain},
    {Stage::kBusData, Stage::kStatus, kHit | kServed | kReported},
};

using Matrix = std::array<std::array<bool, kStageCount>, kStageCount>;

/// The permitted changes for one kind of command. With `instant`, a stage may also follow by way of
/// others, forward through the table.
Matrix matrix_of(CommandKind kind, bool instant) {
  Matrix allowed{};
  for (const Rule& rule : kRules) {
    if ((rule.kinds & bit(kind)) == 0) continue;
    allowed[static_cast<std::size_t>(rule.from)][static_cast<std::size_t>(rule.to)] = true;
  }
  if (!instant) return allowed;
  for (std::size_t via = 0; via < kStageCount; ++via) {
    for (std::size_t from = 0; from < kStageCount; ++from) {
      for (std::size_t to = 0; to < kStageCount; ++to) {
        allowed[from][to] = allowed[from][to] || (allowed[from][via] && allowed[via][to]);
      }
    }
  }
  return allowed;
}

bool may_follow(Stage from, Stage to, CommandKind kind, bool instant) {
  constexpr std::size_t kKinds = static_cast<std::size_t>(CommandKind::kReported) + 1;
  static const auto kMatrices = [] {
    std::array<std::array<Matrix, 2>, kKinds> matrices{};
    for (std::size_t i = 0; i < kKinds; ++i) {
      matrices[i] = {matrix_of(static_cast<CommandKind>(i), false),
                     matrix_of(static_cast<CommandKind>(i), true)};
    }
    return matrices;
  }();
  return kMatrices[static_cast<std::size_t>(kind)][instant ? 1 : 0][static_cast<std::size_t>(from)]
                  [static_cast<std::size_t>(to)];
}

}  // namespace

const char* to_string(CommandKind kind) {
  switch (kind) {
    case CommandKind::kRefused: return "that was never queued";
    case CommandKind::kPlain: return "without the media";
    case CommandKind::kMedia: return "that the media serve";
    case CommandKind::kHit: return "that the cache serves";
    case CommandKind::kJoined: return "that joins a read-ahead";
    case CommandKind::kReported: return "that is reported ahead of the media";
  }
  return "?";
}

RecordFault find_wrong_order(const report::CommandRecord& record, CommandKind kind, bool instant) {
  const auto& changes = record.changes();
  for (std::size_t i = 1; i < changes.size(); ++i) {
    if (may_follow(changes[i - 1].stage, changes[i].stage, kind, instant)) continue;
    return {fmt::format("'{}' at {} follows '{}', which it cannot in a command {}",
                        to_string(changes[i].stage), exact_ms(changes[i].at),
                        to_string(changes[i - 1].stage), to_string(kind)),
            changes[i].at};
  }
  // A command that began must end with its status at the host.
  if (changes.back().stage == Stage::kStatus || instant) return {};
  return {fmt::format("its last stage is '{}', and not 'status'", to_string(changes.back().stage)),
          changes.back().at};
}

}  // namespace headstack::observe
