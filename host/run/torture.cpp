// SPDX-License-Identifier: Apache-2.0
#include "host/run/torture.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <set>
#include <system_error>

#include "sim/draw.hpp"

namespace headstack::run {
namespace {

/// A copy's answer. It is written in one piece, which a pipe accepts without blocking.
struct Answer {
  std::uint64_t blocks = 0;
  std::uint64_t looked_at = 0;
  std::uint64_t unreadable = 0;
  std::uint64_t cut_again = 0;
  std::uint64_t findings = 0;
  std::array<char, 512> first{};
};

Answer answer_of(const replay::PowerVerdict& verdict) {
  Answer answer;
  answer.blocks = verdict.blocks;
  answer.looked_at = verdict.looked_at;
  answer.unreadable = verdict.unreadable;
  answer.cut_again = verdict.is_cut_again ? 1 : 0;
  answer.findings = verdict.findings.size();
  if (verdict.findings.empty()) return answer;
  const std::string& text = verdict.findings.front();
  std::copy_n(text.begin(), std::min(text.size(), answer.first.size() - 1), answer.first.begin());
  return answer;
}

std::string text_of(const Answer& answer) {
  std::string first = answer.first.data();
  if (answer.findings == 1) return first;
  return fmt::format("{}; and {} more", first, answer.findings - 1);
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), fmt::format("torture: {}", what));
}

}  // namespace

Torture::Torture(const TortureOptions& options, session::Session& session, JudgeMedia judge)
    : options_(options), session_(session), judge_(std::move(judge)) {}

/// Ends the copies of a run that ends early.
Torture::~Torture() {
  while (!copies_.empty()) {
    const pid_t child = copies_.begin()->first;
    copies_.erase(copies_.begin());
    ::waitpid(child, nullptr, 0);
  }
}

void Torture::arm() {
  session_.media().power().before_write(
      [this](const media::MediaPower::Write& write) { at_write(write); });
}

void Torture::at_write(const media::MediaPower::Write& write) {
  if (write.number % options_.every != 0) return;
  const media::MediaGeometry& geometry = session_.media().geometry();
  const std::uint32_t field = geometry.sector_bytes + geometry.check_bytes;
  std::set<std::uint32_t> parts = {0};
  for (std::uint64_t i = 0; i < options_.bytes_per_write; ++i) {
    const std::uint64_t number = scatter(scatter(options_.seed + write.number) + i);
    parts.insert(1 + static_cast<std::uint32_t>(below(number, field - 1)));
  }
  for (const std::uint32_t part : parts) cut(&write, write.first_byte + part, part);
}

void Torture::finish() {
  cut(nullptr, session_.media().power().byte_count(), 0);
  while (!copies_.empty()) wait_for_one();
}

void Torture::cut(const media::MediaPower::Write* write, std::uint64_t byte, std::uint32_t part) {
  if (options_.most != 0 && cuts_ >= options_.most) return;
  while (copies_.size() >= options_.jobs) wait_for_one();
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) fail("no pipe to a copy");
  output::Descriptor answer(ends[0]);
  output::Descriptor to_parent(ends[1]);
  replay::PowerJudgement judgement;
  judgement.whole = options_.whole_every != 0 && cuts_ % options_.whole_every == 0;
  judgement.again = draw_again(byte);
  const pid_t child = ::fork();
  if (child < 0) fail("no process for a copy");
  if (child == 0) live_on(write, part, judgement, to_parent.get());
  ++cuts_;
  copies_.emplace(child, Copy{byte, judgement.again, std::move(answer)});
}

/// Draws by powers of two, so that early bytes are as likely as late ones. What a drive writes
/// first after its start is little; what it writes with time is much.
std::optional<std::uint64_t> Torture::draw_again(std::uint64_t byte) const {
  if (options_.again_sectors == 0) return std::nullopt;
  const media::MediaGeometry& geometry = session_.media().geometry();
  const std::uint64_t number = scatter(scatter(options_.seed ^ 0xA6A1) + byte);
  unsigned doublings = 0;
  while (options_.again_sectors >> (doublings + 1) != 0) ++doublings;
  const std::uint64_t sectors = std::uint64_t{1} << below(number, doublings + 1);
  return below(scatter(number), sectors * (geometry.sector_bytes + geometry.check_bytes));
}

/// Continues as a copy, which ends here by _exit(), so that open files are not flushed twice.
void Torture::live_on(const media::MediaPower::Write* write, std::uint32_t part,
                      const replay::PowerJudgement& judgement, int answer) {
  Answer told;
  try {
    // The cut precedes the first byte, so the sector stays as it was, whatever the electronics do
    // with it.
    if (write != nullptr) session_.media().power().cut();
    if (part > 0) session_.finish_or_tear(*write, part);
    session_.lose_power();
    told = answer_of(judge_(session_.media().snapshot(), judgement));
  } catch (const std::exception& error) {
    replay::PowerVerdict verdict;
    verdict.findings.emplace_back(error.what());
    told = answer_of(verdict);
  }
  const bool written = ::write(answer, &told, sizeof told) == static_cast<ssize_t>(sizeof told);
  ::_exit(written ? 0 : 1);
}

void Torture::wait_for_one() {
  int status = 0;
  const pid_t child = ::waitpid(-1, &status, 0);
  if (child < 0) fail("a copy is lost");
  const auto found = copies_.find(child);
  if (found == copies_.end()) return;  // not a copy of this run
  const Copy copy = std::move(found->second);
  copies_.erase(found);
  Answer answer;
  const bool told =
      ::read(copy.answer.get(), &answer, sizeof answer) == static_cast<ssize_t>(sizeof answer);
  if (!told) {
    findings_[copy.byte] = {copy.byte, copy.again,
                            fmt::format("the drive did not come back: status {:#x}", status)};
    return;
  }
  blocks_ += answer.blocks;
  looked_at_ += answer.looked_at;
  unreadable_ += answer.unreadable;
  cut_again_ += answer.cut_again;
  if (answer.findings > 0) findings_[copy.byte] = {copy.byte, copy.again, text_of(answer)};
}

std::vector<Torture::Finding> Torture::findings() const {
  std::vector<Finding> list;
  for (const auto& [byte, finding] : findings_) list.push_back(finding);
  return list;
}

}  // namespace headstack::run
