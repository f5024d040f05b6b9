#include "host/replay/power_verdict.hpp"

#include <fmt/format.h>

#include "host/session/second_life.hpp"

namespace headstack::replay {
namespace {

constexpr const char* kUnrecoveredRead = "3/11/00";  // SCSI-2 table 71

class Judge {
 public:
  Judge(DataCheck& check, bool may_tear) : check_(check), may_tear_(may_tear) {}

  void take(std::uint64_t lba, const std::uint8_t* data, const std::string& sense) {
    ++verdict_.blocks;
    if (data == nullptr) {
      const bool torn = may_tear_ && sense == kUnrecoveredRead && check_.media().is_uncertain(lba);
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

}  // namespace

PowerVerdict judge_power_loss(const drive::DriveDescription& description,
                              const session::Options& options, const media::MediaSnapshot& media,
                              DataCheck& check) {
  Judge judge(check, description.specimen.power_loss == drive::PowerLoss::kTorn);
  try {
    session::SecondLife life(description, options, media);
    for (const MediaLedger::Range& range : check.media().ranges()) {
      life.read(range.lba, range.end,
                [&](std::uint64_t lba, const std::uint8_t* data, const std::string& sense) {
                  judge.take(lba, data, sense);
                });
    }
  } catch (const session::SessionError& error) {
    PowerVerdict verdict = judge.verdict();
    verdict.findings.push_back(fmt::format("the drive does not come back: {}", error.what()));
    return verdict;
  }
  return judge.verdict();
}

}  // namespace headstack::replay
