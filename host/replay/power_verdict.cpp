// SPDX-License-Identifier: Apache-2.0
#include "host/replay/power_verdict.hpp"

#include <fmt/format.h>

#include "host/session/second_life.hpp"

namespace headstack::replay {
namespace {

// SCSI-2 table 71; the second code with ARRE.
constexpr const char* kUnrecoveredRead = "3/11/00";
constexpr const char* kNotReallocated = "3/11/04";

// A byte within the first sector that the drive writes for its next save.
constexpr std::uint64_t kSecondCutByte = 300;

class Judge {
 public:
  Judge(DataCheck& check, bool may_tear) : check_(check), may_tear_(may_tear) {}

  void take(std::uint64_t lba, const std::uint8_t* data, const std::string& sense) {
    ++verdict_.blocks;
    if (data == nullptr) {
      const bool is_bad = sense == kUnrecoveredRead || sense == kNotReallocated;
      const bool torn = may_tear_ && is_bad && check_.media().is_uncertain(lba);
      if (torn) {
        ++verdict_.unreadable;
      } else {
        find(lba, sense);
      }
      return;
    }
    const auto version = check_.blocks().version_in(data, lba);
    if (!version) {
      find(lba, "bytes that no command wrote there");
    } else if (!check_.media().may_hold(lba, *version)) {
      find(lba, check_.writer_of(*version));
    }
  }

  void take_upkeep(const std::string& finding) {
    if (!finding.empty()) verdict_.findings.push_back(finding);
  }

  bool has_findings() const { return !verdict_.findings.empty(); }
  PowerVerdict verdict() { return std::move(verdict_); }

 private:
  void find(std::uint64_t lba, const std::string& what) {
    std::string wanted;
    for (const BlockHistory::Version version : check_.media().allowed(lba)) {
      wanted += (wanted.empty() ? "" : " or ") + check_.writer_of(version);
    }
    verdict_.findings.push_back(
        fmt::format("block {} has {}, for {}", lba, what, wanted.empty() ? "nothing" : wanted));
  }

  DataCheck& check_;
  bool may_tear_;
  PowerVerdict verdict_;
};

void judge_upkeep(session::SecondLife& life, UpkeepLedger& upkeep, bool may_grow, Judge& judge) {
  if (upkeep.is_empty()) return;
  judge.take_upkeep(upkeep.judge_saved(life.session().execute(UpkeepLedger::sense_saved())));
  judge.take_upkeep(
      upkeep.judge_grown(life.session().execute(UpkeepLedger::read_grown()), may_grow));
}

/// The drive that has restarted saves once more, and loses its power during that save. If it took
/// an older copy for the newest, it now overwrites the wrong one.
void judge_second_cut(const drive::DriveDescription& description, const session::Options& options,
                      session::Session& session, UpkeepLedger& upkeep, Judge& judge) {
  session.lose_power_at_byte(kSecondCutByte);
  try {
    static_cast<void>(session.execute(*upkeep.save()));
  } catch (const session::SessionError&) {
    if (session.has_power()) throw;
  }
  upkeep.power_lost();
  if (session.has_power()) return;  // The drive keeps nothing on its media.
  session::SecondLife third(description, options, session.take_media());
  judge_upkeep(third, upkeep, !description.specimen.flaws.empty(), judge);
}

}  // namespace

PowerVerdict judge_power_loss(const drive::DriveDescription& description,
                              const session::Options& options, const media::MediaSnapshot& media,
                              DataCheck& check, UpkeepLedger& upkeep) {
  Judge judge(check, description.specimen.power_loss == drive::PowerLoss::kTorn);
  try {
    session::SecondLife life(description, options, media);
    upkeep.power_lost();
    judge_upkeep(life, upkeep, !description.specimen.flaws.empty(), judge);
    for (const MediaLedger::Range& range : check.media().ranges()) {
      life.read(range.lba, range.end,
                [&](std::uint64_t lba, const std::uint8_t* data, const std::string& sense) {
                  judge.take(lba, data, sense);
                });
    }
    if (!upkeep.is_empty() && !judge.has_findings()) {
      judge_second_cut(description, options, life.session(), upkeep, judge);
    }
  } catch (const session::SessionError& error) {
    PowerVerdict verdict = judge.verdict();
    verdict.findings.push_back(fmt::format("the drive does not come back: {}", error.what()));
    return verdict;
  }
  return judge.verdict();
}

}  // namespace headstack::replay
