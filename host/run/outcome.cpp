// SPDX-License-Identifier: Apache-2.0
#include "host/run/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "host/options/failure_limit.hpp"
#include "host/output/shell_word.hpp"
#include "sim/soc/stop_code.hpp"

namespace headstack::run {
namespace {

/// The text "assertion at FILE:LINE: CONDITION". The condition is omitted if the program comes
/// without the texts of its assertions (firmware/tools/assertions.py). `code` must be an
/// assertion's.
std::string assertion_text(const std::string& firmware, std::uint32_t code) {
  const std::string place = soc::stop_text(code);
  const std::string file = soc::asserting_file(code >> 16);
  const unsigned wanted = code & 0xFFFF;
  std::ifstream table(firmware + ".assertions");
  std::string path;
  unsigned first = 0;
  unsigned last = 0;
  std::string condition;
  while (table >> path >> first >> last && std::getline(table >> std::ws, condition)) {
    if (path != file || wanted < first || wanted > last) continue;
    // The file may have any content.
    constexpr std::size_t kMost = 200;
    condition.resize(std::min(condition.size(), kMost));
    std::replace_if(
        condition.begin(), condition.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return fmt::format("{}: {}", place, condition);
  }
  return place;
}

/// The reason why the firmware ended the run.
std::string stop_reason(const Simulation& simulation, std::uint32_t code) {
  const observe::CoreView* core = simulation.session().core();
  const std::optional<soc::CoreFault> fault = simulation.session().core_fault();
  if (core == nullptr || !fault) {
    return "the firmware stopped: " + assertion_text(simulation.options().firmware, code);
  }
  return soc::fault_text(*fault, [core](std::uint32_t pc) -> std::string {
    const soc::ElfImage::Function* function = core->firmware.function_at(pc);
    return function != nullptr ? function->name : "no function";
  });
}

std::string power_failure(const Simulation& simulation) {
  const RunOptions& options = simulation.options();
  const replay::PowerVerdict* verdict = simulation.power_verdict();
  if (verdict != nullptr && !verdict->findings.empty()) {
    return fmt::format("power cut {}: {}", options.power_cut, verdict->findings.front());
  }
  const bool ended = !simulation.is_interrupted() && simulation.is_over();
  if (!options.power_cut.empty() && verdict == nullptr && ended &&
      !simulation.replayer().drive_failed()) {
    return fmt::format("faults.power_cut {}: the run was over before", options.power_cut);
  }
  const Torture* torture = simulation.torture();
  if (torture == nullptr || torture->findings().empty()) return "";
  const Torture::Finding finding = torture->findings().front();
  return fmt::format("torture: {} of {} cuts: {}\n  again: {}", torture->findings().size(),
                     torture->cuts(), finding.text, command_for(options, finding));
}

/// Why a run that reached its end has no measurement, or the wrong number of requests; or "".
std::string wrong_count(const Simulation& simulation) {
  const RunOptions& options = simulation.options();
  const replay::Replayer& replayer = simulation.replayer();
  if (simulation.is_interrupted() || !simulation.is_over()) return "";
  if (simulation.power_verdict() != nullptr) return "";
  const std::optional<std::uint64_t>& expected = options.expected_requests;
  if (expected && *expected != replayer.completed()) {
    return fmt::format("load.expect {}: {} requests were replayed", *expected,
                       replayer.completed());
  }
  if (simulation.summary().commands() != 0 || options.reading.allow_empty) return "";
  if (replayer.warmed_up() == 0) {
    return fmt::format(
        "{}: no request was replayed, so nothing was measured; accept that with "
        "stop.allow_empty=true",
        options.trace);
  }
  return fmt::format(
      "{}: all {} requests warmed up, so none was measured; make load.warm_up shorter, or accept "
      "that with stop.allow_empty=true",
      options.trace, replayer.warmed_up());
}

/// The counts for stop.fail_on. A share is one of the records, or of all commands where the warm-up
/// counts, too.
options::FailureCounts failure_counts(const Simulation& simulation) {
  using options::Failure;
  options::FailureCounts counts;
  const auto set = [&counts](Failure failure, std::uint64_t count, std::uint64_t of) {
    counts[static_cast<std::size_t>(failure)] = {count, of};
  };
  const SenseReport sense = simulation.sense_report();
  const report::Summary& summary = simulation.summary();
  const std::uint64_t all = simulation.replayer().completed();
  const report::DeadlineCounts deadlines = summary.deadlines();
  set(Failure::kUnexplainedSense, sense.unexplained(), all);
  set(Failure::kSense, sense.total(), all);
  set(Failure::kNotGood, summary.failed(), summary.commands());
  set(Failure::kMissedDeadline, deadlines.missed, deadlines.commands);
  set(Failure::kMediaRetry, simulation.log().media_retries(), all);
  set(Failure::kMissedRevolution, simulation.log().missed_revolutions(), all);
  set(Failure::kLostRevolution, simulation.lost().count(), all);
  set(Failure::kBusViolation, simulation.session().figures().bus_violations, all);
  return counts;
}

/// The limit that the run exceeded, once it is over, or "". Limits do not apply to a run that was
/// interrupted.
std::string exceeded_limit(const Simulation& simulation) {
  if (simulation.is_interrupted() || !simulation.is_over()) return "";
  const std::vector<options::FailureLimit> limits =
      options::failure_limits(simulation.options().fail_on);
  for (const options::FailureLimit& limit : limits) {
    if (limit.failure != options::Failure::kMissedDeadline) continue;
    if (simulation.summary().deadlines().commands != 0) continue;
    return fmt::format(
        "stop.fail_on {}: no command had a deadline; headstack trace deadlines gives a trace some",
        limit.text);
  }
  const options::FailureCounts counts = failure_counts(simulation);
  const options::FailureLimit* exceeded = options::find_exceeded(limits, counts);
  if (exceeded == nullptr) return "";
  std::string text = options::exceeded_text(*exceeded, counts);
  if (exceeded->failure != options::Failure::kUnexplainedSense) return text;
  return text + ": " + simulation.sense_report().unexplained_text();
}

}  // namespace

std::string command_for(const RunOptions& options, const Torture::Finding& finding) {
  std::string line = "./headstack run";
  line += output::shell_words_without(
      options.words, {"--torture", "--once"},
      {"--every", "--bytes", "--cuts", "--cut-seed", "--whole", "--jobs", "--out"});
  line += fmt::format(" faults.power_cut=byte:{}", finding.byte);
  if (finding.again) line += fmt::format(" faults.power_again={}", *finding.again);
  return fmt::format("{} --out {}", line,
                     output::shell_word(options.out + "-" + std::to_string(finding.byte)));
}

std::string find_failure(const Simulation& simulation) {
  const auto code = simulation.session().exit_code();
  if (code && *code != 0) return stop_reason(simulation, *code);
  if (!simulation.replayer().failure().empty()) return simulation.replayer().failure();
  const report::RecordFault& fault = simulation.summary().first_fault();
  if (!fault.empty()) return fault.text;
  if (std::string power = power_failure(simulation); !power.empty()) return power;
  if (std::string wrong = wrong_count(simulation); !wrong.empty()) return wrong;
  return exceeded_limit(simulation);
}

}  // namespace headstack::run
