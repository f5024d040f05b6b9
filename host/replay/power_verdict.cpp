// SPDX-License-Identifier: Apache-2.0
#include "host/replay/power_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/replay/media_survey.hpp"
#include "host/session/second_life.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::replay {
namespace {

using initiator::operation_code::kFormatUnit;

// Sense data of unrecovered reads (SCSI-2 table 71). The second one comes with ARRE.
constexpr const char* kUnrecoveredRead = "3/11/00";
constexpr const char* kNotReallocated = "3/11/04";
// MEDIUM ERROR with any code: a flaw of the specimen may cause it.
constexpr const char* kMediumError = "3/";

constexpr Picoseconds kFormatPatience = 3'600 * kPicosecondsPerSecond;
// Number of blocks that are read from media whose format was cut short.
constexpr std::size_t kTriedBlocks = 8;
// Time that a drive with a map gets for its moves, so that the power can fail during them.
constexpr Picoseconds kRearranging = 200 * kPicosecondsPerMillisecond;

class Judge {
 public:
  Judge(const drive::DriveDescription& description, const session::Options& options,
        DataCheck& check, UpkeepLedger& upkeep, const PowerJudgement& judgement)
      : description_(description),
        options_(options),
        geometry_(description.design),
        check_(check),
        upkeep_(upkeep),
        judgement_(judgement) {}

  /// One life of the drive on these media. @return the media when its power has failed again.
  std::optional<media::MediaSnapshot> live(const media::MediaSnapshot& media,
                                           std::optional<std::uint64_t> again) {
    upkeep_.power_lost();
    look(media);
    session::SecondLife life(description_, options_, media, again);
    session::Session& session = life.session();
    try {
      if (session.has_power()) serve(life);
      if (session.has_power() && again) work(session);
    } catch (const session::SessionError&) {
      if (session.has_power()) throw;
    }
    if (session.has_power()) return std::nullopt;
    verdict_.is_cut_again = true;
    return session.take_media();
  }

  void find(const std::string& what) { verdict_.findings.push_back(what); }
  bool has_findings() const { return !verdict_.findings.empty(); }
  PowerVerdict verdict() { return std::move(verdict_); }

 private:
  // ---- Without the drive.

  void look(const media::MediaSnapshot& media) {
    MediaSurvey survey(description_, geometry_, media, check_);
    is_formatting_ = survey.kept().is_formatting;
    has_map_ = !survey.kept().location.empty();
    if (is_formatting_ && !check_.format_is_out()) {
      find("the drive takes its media for unformatted, and no FORMAT UNIT was under way");
    }
    // The host did not receive the format's status.
    if (check_.format_is_out() && !is_formatting_ && survey.is_blank()) check_.formatted();
    ++cuts_;
    if (judgement_.keeps_twice) look_at_copies(survey.kept());
    for (const std::string& finding : survey.look(judgement_.whole)) find(finding);
    verdict_.looked_at += survey.blocks();
    flawed_ = survey.flawed_blocks();
  }

  void look_at_copies(const KeptArea& kept) {
    if (kept.open_cells > cuts_) {
      find(fmt::format("{} cells of the store have only one copy that is up to date",
                       kept.open_cells));
    }
    if (kept.open_records > cuts_) {
      find(fmt::format("{} records of moves have only one copy", kept.open_records));
    }
  }

  // ---- Through the drive.

  void serve(session::SecondLife& life) {
    if (is_formatting_) format(life);
    judge_upkeep(life.session());
    for (const MediaLedger::Range& range : check_.media().ranges()) {
      life.read(range.lba, range.end,
                [this](std::uint64_t lba, const std::uint8_t* data, const std::string& sense) {
                  take(lba, data, sense);
                });
    }
  }

  /// Formats the drive. Until a format ends well, nothing can be read.
  void format(session::SecondLife& life) {
    std::size_t tried = 0;
    for (const MediaLedger::Range& range : check_.media().ranges()) {
      if (tried++ == kTriedBlocks) break;
      life.read(range.lba, range.lba + 1,
                [this](std::uint64_t lba, const std::uint8_t* data, const std::string& sense) {
                  if (data == nullptr && sense == session::SecondLife::kFormatCorrupted) return;
                  find(fmt::format("block {} of a format that was cut short has {}, for {}", lba,
                                   data != nullptr ? "data" : sense,
                                   session::SecondLife::kFormatCorrupted));
                });
    }
    initiator::Command command;
    command.cdb = {kFormatUnit, 0, 0, 0, 0, 0};
    if (!life.session().execute(std::move(command), 0, kFormatPatience).is_good()) {
      return find("FORMAT UNIT fails after one that was cut short");
    }
    check_.formatted();
    upkeep_.grown_list_is_lost();
    is_formatting_ = false;
  }

  void judge_upkeep(session::Session& session) {
    if (upkeep_.is_empty()) return;
    const bool may_grow = !description_.specimen.flaws.empty();
    take_upkeep(upkeep_.judge_saved(session.execute(UpkeepLedger::sense_saved())));
    // With a map the list has physical blocks, which are unknown to hosts (docs/remapping.md).
    if (has_map_) return;
    take_upkeep(upkeep_.judge_grown(session.execute(UpkeepLedger::read_grown()), may_grow));
  }
  void take_upkeep(const std::string& finding) {
    if (!finding.empty()) find(finding);
  }

  void take(std::uint64_t lba, const std::uint8_t* data, const std::string& sense) {
    ++verdict_.blocks;
    if (data == nullptr) return take_bad(lba, sense);
    const auto version = check_.blocks().version_in(data, lba);
    if (!version) {
      find_in(lba, "bytes that no command wrote there");
    } else if (!check_.media().may_hold(lba, *version)) {
      find_in(lba, check_.writer_of(*version));
    }
    were_read_.insert(lba);
  }

  void take_bad(std::uint64_t lba, const std::string& sense) {
    const bool was_read = were_read_.count(lba) != 0;
    const bool is_bad = sense == kUnrecoveredRead || sense == kNotReallocated;
    const bool may_tear = description_.specimen.power_loss == drive::PowerLoss::kTorn;
    if (!was_read && may_tear && is_bad && check_.media().is_uncertain(lba)) {
      ++verdict_.unreadable;
      return;
    }
    if (!was_read && flawed_.count(lba) != 0 && sense.rfind(kMediumError, 0) == 0) {
      const std::vector<BlockHistory::Version> allowed = check_.media().allowed(lba);
      if (std::find(allowed.begin(), allowed.end(), 0) != allowed.end()) return;
    }
    find_in(lba, sense);
  }

  void find_in(std::uint64_t lba, const std::string& what) {
    std::string wanted;
    for (const BlockHistory::Version version : check_.media().allowed(lba)) {
      wanted += (wanted.empty() ? "" : " or ") + check_.writer_of(version);
    }
    find(fmt::format("block {} has {}, for {}", lba, what, wanted.empty() ? "nothing" : wanted));
  }

  /// Causes the writes of the second life, besides its moves. If the drive took an older copy for
  /// the newest, it overwrites the wrong one here.
  void work(session::Session& session) {
    if (const auto save = upkeep_.save()) upkeep_.save_ended(session.execute(*save).is_good());
    if (!were_read_.empty()) {
      const auto lba = *were_read_.begin();
      if (const auto move = upkeep_.reassign(lba, 1)) {
        upkeep_.reassign_ended(session.execute(*move).is_good());
      }
    }
    if (has_map_) session.run_until(session.now() + kRearranging);
  }

  const drive::DriveDescription& description_;
  const session::Options& options_;
  geometry::Geometry geometry_;
  DataCheck& check_;
  UpkeepLedger& upkeep_;
  const PowerJudgement& judgement_;
  std::uint32_t cuts_ = 0;  // number of lives that a cut ended
  bool is_formatting_ = false;
  bool has_map_ = false;
  std::set<std::uint64_t> flawed_;     // touched blocks on a sector with a flaw
  std::set<std::uint64_t> were_read_;  // blocks that an earlier life of the drive has read
  PowerVerdict verdict_;
};

}  // namespace

PowerVerdict judge_power_loss(const drive::DriveDescription& description,
                              const session::Options& options, const media::MediaSnapshot& media,
                              DataCheck& check, UpkeepLedger& upkeep,
                              const PowerJudgement& judgement) {
  Judge judge(description, options, check, upkeep, judgement);
  try {
    const auto left = judge.live(media, judgement.again);
    if (left && !judge.has_findings()) static_cast<void>(judge.live(*left, std::nullopt));
  } catch (const session::SessionError& error) {
    judge.find(fmt::format("the drive does not come back: {}", error.what()));
  }
  return judge.verdict();
}

}  // namespace headstack::replay
