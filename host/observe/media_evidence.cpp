// SPDX-License-Identifier: Apache-2.0
#include "host/observe/media_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headstack::observe {
namespace {

using report::exact_ms;
using report::RecordFault;
using report::Stage;

std::string text(const geometry::Chs& at) {
  return fmt::format("cylinder {}, head {}", at.cylinder, at.head);
}

/// The time of the next change, or of the command's end.
Picoseconds end_of(const report::CommandRecord& record, std::size_t change) {
  const auto& changes = record.changes();
  return change + 1 < changes.size() ? changes[change + 1].at : record.completed();
}

/// The index of the change that is in force at an instant.
std::size_t change_at(const report::CommandRecord& record, Picoseconds at) {
  const auto& changes = record.changes();
  const auto behind =
      std::upper_bound(changes.begin(), changes.end(), at,
                       [](Picoseconds time, const auto& change) { return time < change.at; });
  return behind == changes.begin() ? 0 : static_cast<std::size_t>(behind - changes.begin()) - 1;
}

}  // namespace

void MediaEvidence::seek_began(Picoseconds at, const geometry::Chs& track,
                               const mechanics::Positioning& parts) {
  if (movements_.size() == kMovementsKept) {
    forgotten_ = std::max(forgotten_, movements_.front().at);
    movements_.pop_front();
  }
  movements_.push_back({at, track, parts});
}

void MediaEvidence::sector_ended(Picoseconds at, const geometry::Chs& sector) {
  if (passes_.size() == kPassesKept) {
    forgotten_ = std::max(forgotten_, passes_.front().ended);
    passes_.pop_front();
  }
  passes_.push_back({sector_began_, at, sector});
}

std::vector<MediaEvidence::Stretch> MediaEvidence::stretches_of(
    const traces::TraceRequest& request) const {
  std::vector<Stretch> stretches;
  for (std::uint32_t done = 0; done < request.blocks;) {
    const geometry::Placement place = geometry_.locate(request.lba + done);
    const std::uint32_t blocks = std::min(place.contiguous, request.blocks - done);
    stretches.push_back({place.chs(), done, blocks});
    done += blocks;
  }
  return stretches;
}

/// The stretch that contains a sector; null if it belongs to another command.
const MediaEvidence::Stretch* MediaEvidence::find(const std::vector<Stretch>& stretches,
                                                  const geometry::Chs& sector) {
  for (const Stretch& stretch : stretches) {
    if (stretch.first.cylinder == sector.cylinder && stretch.first.head == sector.head &&
        sector.sector >= stretch.first.sector &&
        sector.sector - stretch.first.sector < stretch.blocks) {
      return &stretch;
    }
  }
  return nullptr;
}

bool MediaEvidence::is_where_the_layout_has_it(const traces::TraceRequest& request) const {
  const auto moved = moved_.lower_bound(request.lba);
  return places_are_known_ && (moved == moved_.end() || *moved - request.lba >= request.blocks);
}

RecordFault MediaEvidence::find_misfit(const report::CommandRecord& record,
                                       const Life& life) const {
  if (life.kind() != CommandKind::kMedia && life.kind() != CommandKind::kJoined) return {};
  if (life.service.empty() || life.service.front().begin <= forgotten_) return {};
  if (!is_where_the_layout_has_it(record.request())) return {};
  const std::vector<Stretch> stretches = stretches_of(record.request());
  RecordFault misfit = find_wrong_movement(record, life, stretches);
  if (misfit.empty()) misfit = find_wrong_passes(record, life, stretches);
  return misfit;
}

// -------------------------------------------------------------------------------- movements

/// Whether a movement may go to this track. It may be one of the command's, or at an edge, where
/// some policies turn the arm.
bool MediaEvidence::may_go_to(const geometry::Chs& track,
                              const std::vector<Stretch>& stretches) const {
  if (track.cylinder == 0 || track.cylinder + 1 == geometry_.cylinder_count()) return true;
  return std::any_of(stretches.begin(), stretches.end(), [&track](const Stretch& stretch) {
    return stretch.first.cylinder == track.cylinder && stretch.first.head == track.head;
  });
}

/// The rest, at an instant, of the time until the heads may read. A read-ahead may be joined while
/// the arm moves for it.
Picoseconds MediaEvidence::rest_of(const Movement& movement, Picoseconds at) {
  const mechanics::Positioning& parts = movement.parts;
  const Picoseconds ready = movement.at + parts.seek + parts.settle + parts.head_switch;
  return std::max<Picoseconds>(ready - at, 0);
}

/// The latest start of a movement for the command. After its last block the formatter may read
/// ahead by itself, before the firmware reports that the command is done.
Picoseconds MediaEvidence::end_of_work(const Stretch& last, const Window& window,
                                       Picoseconds end) const {
  const std::uint32_t sector = last.first.sector + last.blocks - 1;
  for (auto pass = passes_.rbegin(); pass != passes_.rend() && pass->ended > window.begin; ++pass) {
    const bool is_last = pass->sector.cylinder == last.first.cylinder &&
                         pass->sector.head == last.first.head && pass->sector.sector == sector;
    if (is_last && pass->ended < end) return pass->ended;
  }
  return end;
}

/// Checks that each movement while the command was in service goes to a permitted track, and is in
/// the record part by part. The record may not have more movement than there was.
RecordFault MediaEvidence::find_wrong_movement(const report::CommandRecord& record,
                                               const Life& life,
                                               const std::vector<Stretch>& stretches) const {
  Picoseconds in_movements = 0;
  for (const Window& window : life.service) {
    const Picoseconds end =
        end_of_work(stretches.back(), window, window.end.value_or(record.completed()));
    auto movement =
        std::lower_bound(movements_.begin(), movements_.end(), window.begin,
                         [](const Movement& one, Picoseconds at) { return one.at < at; });
    if (movement != movements_.begin()) in_movements += rest_of(*std::prev(movement), window.begin);
    for (; movement != movements_.end() && movement->at < end; ++movement) {
      if (!may_go_to(movement->track, stretches)) {
        return {fmt::format("the arm left for {} at {}, where none of its blocks is",
                            text(movement->track), exact_ms(movement->at)),
                movement->at};
      }
      if (RecordFault wrong = find_wrong_part(record, *movement); !wrong.empty()) return wrong;
      in_movements += rest_of(*movement, movement->at);
    }
  }
  Picoseconds in_record = 0;
  for (std::size_t i = 0; i < record.changes().size(); ++i) {
    const Stage stage = record.changes()[i].stage;
    if (stage == Stage::kSeek || stage == Stage::kHeadSwitch) {
      in_record += end_of(record, i) - record.changes()[i].at;
    }
  }
  if (in_record > in_movements) {
    return {fmt::format("it seeks and switches heads for {}, the arm moved for {}",
                        exact_ms(in_record), exact_ms(in_movements)),
            life.service.front().begin};
  }
  return {};
}

RecordFault MediaEvidence::find_wrong_part(const report::CommandRecord& record,
                                           const Movement& movement) const {
  const mechanics::Positioning& parts = movement.parts;
  struct Part {
    Stage stage;
    Picoseconds lasts;
  };
  Picoseconds at = movement.at;
  for (const Part& part : {Part{Stage::kSeek, parts.seek}, Part{Stage::kSettle, parts.settle},
                           Part{Stage::kHeadSwitch, parts.head_switch}}) {
    if (part.lasts == 0) continue;
    const std::size_t change = change_at(record, at);
    const Stage stage = record.changes()[change].stage;
    // A write that continues to settle has no change between the two.
    const bool joins = part.stage == Stage::kSettle;
    const Picoseconds end = end_of(record, change);
    // The formatter tests the head's readiness to write after the header of the first sector.
    const bool is_cut = record.request().operation == traces::Operation::kWrite &&
                        change + 1 < record.changes().size() &&
                        record.changes()[change + 1].stage == Stage::kMediaTransfer;
    const bool lasts = joins ? end >= at + part.lasts : end == at + part.lasts;
    const bool fits = stage == part.stage && record.changes()[change].at == at &&
                      (lasts || (is_cut && end > at && end < at + part.lasts));
    if (!fits) {
      const Picoseconds begin = record.changes()[change].at;
      return {
          fmt::format("'{}' of the movement at {} lasted from {} to {}; its stage is '{}' from "
                      "{} to {}",
                      to_string(part.stage), exact_ms(movement.at), exact_ms(at),
                      exact_ms(at + part.lasts), to_string(stage), exact_ms(begin), exact_ms(end)),
          std::min(movement.at, begin)};
    }
    at += part.lasts;
  }
  return {};
}

// ----------------------------------------------------------------------------------- passes

/// Checks that all blocks of the command pass under the heads while its record says that sectors
/// are transferred. Nothing else may begin or end that stage.
RecordFault MediaEvidence::find_wrong_passes(const report::CommandRecord& record, const Life& life,
                                             const std::vector<Stretch>& stretches) const {
  std::vector<bool> passed(record.request().blocks);
  for (std::size_t i = 0; i < record.changes().size(); ++i) {
    if (record.changes()[i].stage != Stage::kMediaTransfer) continue;
    RecordFault wrong = find_wrong_transfer(record, i, life, stretches, passed);
    if (!wrong.empty()) return wrong;
  }
  // The blocks of a partial hit have passed before the command.
  const auto had = std::min<std::size_t>(life.had, passed.size());
  const auto first = passed.begin() + static_cast<std::ptrdiff_t>(had);
  const auto missing = std::count(first, passed.end(), false);
  // Blocks that were read ahead for no command have passed before it.
  if (missing == 0 || life.kind() == CommandKind::kJoined) return {};
  return {fmt::format("{} of its {} blocks have not passed under the heads in its media_transfer",
                      missing, record.request().blocks),
          life.service.empty() ? record.submitted() : life.service.front().begin};
}

RecordFault MediaEvidence::find_wrong_transfer(const report::CommandRecord& record,
                                               std::size_t change, const Life& life,
                                               const std::vector<Stretch>& stretches,
                                               std::vector<bool>& passed) const {
  const Picoseconds begin = record.changes()[change].at;
  const Picoseconds end = end_of(record, change);
  const auto by_end = [](const Pass& pass, Picoseconds at) { return pass.ended <= at; };
  bool begins = false;
  bool ends = false;
  for (auto pass = std::lower_bound(passes_.begin(), passes_.end(), begin, by_end);
       pass != passes_.end() && pass->ended <= end; ++pass) {
    const Stretch* stretch = find(stretches, pass->sector);
    // A block that was moved to a spare is not at its place in the layout.
    const bool spare =
        stretch == nullptr && geometry_.content(pass->sector).use == geometry::SectorUse::kSpare;
    if (stretch != nullptr) {
      passed[stretch->offset + pass->sector.sector - stretch->first.sector] = true;
    } else if (spare) {
      std::fill(passed.begin(), passed.end(), true);
    } else {
      continue;
    }
    begins = begins || pass->began == begin;
    ends = ends || pass->ended == end;
  }
  // A command that joins a read-ahead or was suspended may find its sectors already passing.
  const bool in_service =
      std::any_of(life.service.begin(), life.service.end(),
                  [begin](const Window& window) { return window.begin == begin; });
  const bool joined = life.hit && *life.hit == begin;
  if (!begins && !in_service && !joined) {
    return {
        fmt::format("media_transfer begins at {}, where none of its sectors does", exact_ms(begin)),
        begin};
  }
  if (!ends) {
    return {fmt::format("media_transfer ends at {}, where none of its sectors does", exact_ms(end)),
            begin};
  }
  return {};
}

}  // namespace headstack::observe
