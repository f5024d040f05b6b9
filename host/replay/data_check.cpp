// SPDX-License-Identifier: Apache-2.0
#include "host/replay/data_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/options/cache_option.hpp"

namespace headstack::replay {
namespace {

using initiator::Completion;
using initiator::Outcome;
using traces::Operation;
using Verdict = BlockHistory::Verdict;
using Version = BlockHistory::Version;

bool is_read(const RunRequest& request) { return request.request.operation == Operation::kRead; }
bool is_write(const RunRequest& request) { return request.request.operation == Operation::kWrite; }

bool writes_are_cached(const ReplayOptions& options) {
  return std::any_of(options.caches.begin(), options.caches.end(), [](const std::string& text) {
    return options::parse_cache(text).use == options::CacheUse::kReadWrite;
  });
}

}  // namespace

DataCheck::DataCheck(const ReplayOptions& options, std::uint32_t block_bytes)
    : checks_(options.verify_data),
      restricted_(!options.habits.unrestricted),
      reports_early_(writes_are_cached(options)),
      block_bytes_(block_bytes),
      blocks_(options.seed, block_bytes),
      history_(restricted_),
      media_(restricted_) {}

DataCheck::Attempt DataCheck::begin(const RunRequest& request, bool again) {
  Attempt attempt;
  attempt.number = request.number;
  attempt.flushes = media_.flush_sent();
  if (!is_write(request)) return attempt;
  if (again) {
    attempt.version = --last_again_;
    again_[attempt.version] = request.number;
  } else {
    attempt.version = static_cast<Version>(request.number) + 1;
  }
  return attempt;
}

std::vector<std::uint8_t> DataCheck::data_of(const RunRequest& request,
                                             const Attempt& attempt) const {
  if (!is_write(request)) return {};
  return blocks_.version(request.request.lba, request.request.blocks, attempt.version);
}

void DataCheck::received(const RunRequest& request, Attempt& attempt) {
  if (!checks_ || attempt.arrived) return;
  const traces::TraceRequest& what = request.request;
  const traces::Tagging tagging = what.options.tagging;
  attempt.arrived =
      order_.arrived({request.number, tagging, what.initiator, what.options.keeps_bus});
  if (is_write(request)) {
    history_.write_arrived(attempt.version, what.lba, what.blocks, tagging);
    media_.write_arrived(attempt.version, what.lba, what.blocks, tagging);
  } else {
    media_.touched(what.lba, what.blocks);
  }
  if (is_read(request)) attempt.read = history_.read_arrived(what.lba, what.blocks, tagging);
}

std::string DataCheck::ended(const RunRequest& request, Attempt& attempt, const Ending& ending,
                             const Completion& completion) {
  if (!attempt.arrived) return "";
  std::string wrong = check_order(request, attempt, ending, completion);
  if (is_write(request)) {
    history_.write_ended(attempt.version, ending.fate);
    media_.write_ended(attempt.version, ending.fate, is_early(request, ending));
    if (wrong.empty()) wrong = judge_open();
  } else if (attempt.read && ending.kind == EndKind::kDone) {
    if (wrong.empty()) wrong = check_read(request, attempt, completion);
  } else if (attempt.read) {
    history_.read_ended(*attempt.read);
  } else if (request.request.operation == Operation::kFlush && ending.kind == EndKind::kDone) {
    media_.flush_done(attempt.flushes);
  }
  return wrong;
}

void DataCheck::formatted() {
  format_is_out_ = false;
  history_ = BlockHistory(restricted_);
  doubtful_.clear();
  media_.formatted();
}

/// Whether the drive may have sent GOOD while the data were only in its buffer.
bool DataCheck::is_early(const RunRequest& request, const Ending& ending) const {
  return reports_early_ && ending.fate == BlockHistory::Fate::kDone &&
         !request.request.options.force_unit_access;
}

std::string DataCheck::check_order(const RunRequest& request, const Attempt& attempt,
                                   const Ending& ending, const Completion& completion) {
  // A command that the drive refused, or that met a unit attention, never became a task. So it
  // cannot overtake.
  const bool cached =
      reports_early_ && is_write(request) && !request.request.options.force_unit_access;
  const bool early = cached || ending.kind != EndKind::kDone;
  std::optional<Picoseconds> status;
  if (completion.outcome == Outcome::kComplete) status = completion.times.status;
  const auto overtaken = order_.ended(*attempt.arrived, status, early);
  if (!overtaken) return "";
  return fmt::format(
      "command {}: it ended ahead of command {}, which the drive had received before and which its "
      "queue tag makes it wait for",
      overtaken->first, overtaken->second);
}

std::string DataCheck::check_read(const RunRequest& request, Attempt& attempt,
                                  const Completion& completion) {
  const traces::TraceRequest& what = request.request;
  const std::size_t bytes = std::size_t{what.blocks} * block_bytes_;
  const auto say = [&](const std::string& text) {
    history_.read_ended(*attempt.read);
    return fmt::format("command {}: wrong data: {}", request.number, text);
  };
  if (completion.data.size() != bytes) {
    return say(fmt::format("{} bytes came for {}", completion.data.size(), bytes));
  }
  Open open{request.number, *attempt.read, {}};
  for (std::uint32_t i = 0; i < what.blocks; ++i) {
    const std::uint64_t lba = what.lba + i;
    const auto version = blocks_.version_in(completion.data.data() + i * block_bytes_, lba);
    if (!version) return say(fmt::format("block {} has bytes that no command wrote there", lba));
    open.brought.push_back(*version);
  }
  return judge(std::move(open));
}

void DataCheck::deferred_error() {
  for (const MediaLedger::Range& range : media_.deferred_error()) doubtful_.push_back(range);
}

bool DataCheck::is_doubtful(std::uint64_t lba) const {
  return std::any_of(doubtful_.begin(), doubtful_.end(), [lba](const MediaLedger::Range& range) {
    return lba >= range.lba && lba < range.end;
  });
}

/// Judges a read of blocks that may be lost, as a deferred error has reported. Such a block may
/// have any version that the media may hold.
std::string DataCheck::judge_doubtful(const Open& open) {
  for (std::uint32_t i = 0; i < open.read.blocks; ++i) {
    const std::uint64_t lba = open.read.lba + i;
    const Version version = open.brought[i];
    std::vector<Version> right = history_.allowed(open.read, lba);
    if (is_doubtful(lba)) {
      const std::vector<Version> older = media_.allowed(lba);
      right.insert(right.end(), older.begin(), older.end());
    }
    if (std::find(right.begin(), right.end(), version) != right.end()) continue;
    std::string text =
        fmt::format("command {}: wrong data: block {} has {}, which no loss explains", open.number,
                    lba, writer_of(version));
    history_.read_ended(open.read);
    return text;
  }
  verified_blocks_ += open.read.blocks;
  history_.read_ended(open.read);
  return "";
}

std::string DataCheck::judge(Open open) {
  for (std::uint32_t i = 0; i < open.read.blocks && !doubtful_.empty(); ++i) {
    if (is_doubtful(open.read.lba + i)) return judge_doubtful(open);
  }
  switch (history_.check(open.read, open.brought)) {
    case Verdict::kRight:
      verified_blocks_ += open.read.blocks;
      history_.read_ended(open.read);
      return "";
    case Verdict::kWrong: {
      std::string text = describe(open);
      history_.read_ended(open.read);
      return text;
    }
    case Verdict::kOpen: open_.push_back(std::move(open)); return "";
  }
  return "";
}

std::string DataCheck::judge_open() {
  std::list<Open> open;
  open.swap(open_);
  std::string wrong;
  for (Open& one : open) {
    const std::string text = judge(std::move(one));
    if (wrong.empty()) wrong = text;
  }
  return wrong;
}

std::string DataCheck::describe(const Open& open) const {
  for (std::uint32_t i = 0; i < open.read.blocks; ++i) {
    const std::uint64_t lba = open.read.lba + i;
    const std::vector<Version> allowed = history_.allowed(open.read, lba);
    if (std::find(allowed.begin(), allowed.end(), open.brought[i]) != allowed.end()) continue;
    std::string wanted;
    for (const Version version : allowed) {
      wanted += (wanted.empty() ? "" : " or ") + writer_of(version);
    }
    return fmt::format("command {}: wrong data: block {} has {}, for {}", open.number, lba,
                       writer_of(open.brought[i]), wanted.empty() ? "nothing" : wanted);
  }
  return fmt::format("command {}: wrong data: its blocks do not go together", open.number);
}

std::string DataCheck::writer_of(Version version) const {
  if (version == 0) return "zeros, as never written";
  const auto again = again_.find(version);
  if (again != again_.end())
    return fmt::format("the data of command {}, sent again", again->second);
  return fmt::format("the data of command {}", version - 1);
}

}  // namespace headstack::replay
