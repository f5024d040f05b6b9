// SPDX-License-Identifier: Apache-2.0
#include "host/run/post_mortem.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/observe/backtrace.hpp"
#include "host/observe/electronics.hpp"
#include "host/observe/event_text.hpp"
#include "host/observe/queue_view.hpp"
#include "host/options/event_names.hpp"
#include "host/output/run_folder.hpp"
#include "host/output/shell_word.hpp"
#include "sim/soc/stop_code.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;
namespace run_file = output::run_file;

std::optional<std::uint32_t> word_at(const soc::CoreAccess& core, std::uint32_t address) {
  if (address % 4 != 0 || address > soc::CoreAccess::kRamBytes - 4) return std::nullopt;
  std::uint32_t word = 0;
  std::memcpy(&word, core.read_ram(address, sizeof word).data(), sizeof word);
  return word;
}

/// Where a backtrace begins. The instruction that overflows the stack has moved the stack pointer
/// already: the frame is that after it.
soc::CoreFrame innermost(session::Session& session, const soc::CoreAccess& core) {
  const std::optional<soc::CoreFault> fault = session.core_fault();
  if (!fault) return session.core_frame().value_or(soc::CoreFrame{});
  soc::CoreFrame frame{fault->pc, fault->sp, fault->return_address};
  if (!fault->is_stack) return frame;
  const std::uint32_t word = word_at(core, fault->pc & ~3U).value_or(0) >> 8 * (fault->pc & 2U);
  constexpr std::uint32_t kLong = 3;  // RISC-V unprivileged architecture, 1.5
  frame.pc += (word & kLong) == kLong ? 4 : 2;
  return frame;
}

std::string backtrace_text(session::Session& session, const soc::ElfImage& firmware,
                           const soc::CoreAccess& core) {
  const soc::CoreFrame begin = innermost(session, core);
  const std::vector<std::uint8_t> rules = soc::read_section(firmware.path(), ".debug_frame");
  const observe::Unwinder unwinder(rules);
  const auto frames =
      unwinder.frames(begin.pc, begin.sp, begin.return_address,
                      [&core](std::uint32_t address) { return word_at(core, address); });
  std::string text;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    // The place to which a call returns may be in the next function.
    const soc::ElfImage::Function* function =
        firmware.function_at(i == 0 ? frames[i].pc : frames[i].pc - 1);
    const std::string name = function == nullptr ? "no function" : function->name;
    text += i == 0 ? fmt::format("  #0  {}\n", name)
                   : fmt::format("  #{:<2} {}, returning to {:#x}\n", i, name, frames[i].pc);
  }
  return text;
}

}  // namespace

// ------------------------------------------------------------------------------------------ events

void EventTail::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  events_[count_++ % kEvents] = {edge, number, argument};
}

Picoseconds EventTail::last_at() const {
  return count_ == 0 ? 0 : soc::time_of_edge(events_[(count_ - 1) % kEvents].edge);
}

std::vector<EventTail::Line> EventTail::lines() const {
  std::vector<Line> lines;
  for (std::size_t i = count_ - std::min(count_, kEvents); i < count_; ++i) {
    const Event& event = events_[i % kEvents];
    if (!lines.empty() && lines.back().first.number == event.number &&
        lines.back().first.argument == event.argument) {
      lines.back().last_edge = event.edge;
      ++lines.back().count;
    } else {
      lines.push_back({event, event.edge, 1});
    }
  }
  return lines;
}

std::string EventTail::text_of(const Line& line) {
  std::string text =
      fmt::format("{:>14.6f} ms  edge {:<12} {:<18} {}", to_ms(soc::time_of_edge(line.first.edge)),
                  line.first.edge, options::event_name(line.first.number),
                  observe::event_argument_text(line.first.number, line.first.argument));
  if (line.count > 1) {
    text += fmt::format("  x {} times, the last at {:.6f} ms", line.count,
                        to_ms(soc::time_of_edge(line.last_edge)));
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string EventTail::around(Picoseconds at) const {
  const std::vector<Line> all = lines();
  const auto first_from = [&all](Picoseconds time) {
    return std::partition_point(all.begin(), all.end(), [time](const Line& line) {
      return soc::time_of_edge(line.last_edge) < time;
    });
  };
  // Of many events before it only the last ones, and of many after it the first ones.
  constexpr std::ptrdiff_t kMost = kLines;
  constexpr std::ptrdiff_t kMostBefore = kMost * 3 / 5;
  const auto here = first_from(at);
  const std::ptrdiff_t behind = all.end() - here;
  const std::ptrdiff_t before = std::max(kMostBefore, kMost - behind);
  auto begin =
      std::max(first_from(at - kPostMortemLead), here - std::min(before, here - all.begin()));
  // A quiet time before the failure says little: then what led to it.
  if (here - begin < before && behind + (here - begin) < kMost) {
    begin = here - std::min(here - all.begin(), kMost - behind);
  }
  std::string text;
  for (auto line = begin; line != all.end() && line - begin < kMost; ++line) text += text_of(*line);
  return text;
}

// --------------------------------------------------------------------------------------------
// texts

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
    // The file may be anybody's.
    constexpr std::size_t kMost = 200;
    condition.resize(std::min(condition.size(), kMost));
    std::replace_if(
        condition.begin(), condition.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return fmt::format("{}: {}", place, condition);
  }
  return place;
}

std::string post_mortem_waves(const RunOptions& options) {
  return (fs::path(options.out) / run_file::kPostMortemWaves).string();
}

std::string debug_command(const RunOptions& options, Picoseconds at) {
  // What is for the failed run alone goes, and so does its platform: vp has the same cycles, and is
  // there sooner.
  std::string line = "./headstack debug --launch";
  line += output::shell_words_without(
      options.words,
      {"--post-mortem", "--force", "observe.post_mortem", "platform.kind", "platform"},
      {"--gdb", "--run-until", "--out", "--platform"});
  // The files of the failed run stay.
  const std::string out = (fs::path(options.out) / "debug").string();
  const Picoseconds stop = std::max<Picoseconds>(0, at - kPostMortemLead);
  return line +
         fmt::format(" --out {} --force --run-until 'time {}ps'", output::shell_word(out), stop);
}

void write_post_mortem(const RunOptions& options, const Failure& failure,
                       session::Session& session) {
  output::OutputFile out(output::claim_run_file(options.out, run_file::kPostMortem));
  fmt::print(out, "{}\nat {:.6f} ms of simulated time; the run ended at {:.6f} ms\n\n",
             failure.text, to_ms(failure.at), to_ms(session.now()));
  out << "To stand shortly before it, in GDB:\n\n  " << debug_command(options, failure.at)
      << "\n\n";
  if (failure.has_waves) {
    fmt::print(out, "Waves of the time before it:\n\n  ./headstack wave view {}\n\n",
               output::shell_word(post_mortem_waves(options)));
  }
  const observe::CoreView* view = session.core();
  if (const soc::CoreAccess* core = session.stopped_core(); view != nullptr && core != nullptr) {
    out << "The firmware's calls at the run's end:\n\n"
        << backtrace_text(session, view->firmware, *core) << "\n";
    const observe::QueueView queue(view->firmware, *core, session.geometry());
    const auto edge = static_cast<std::uint64_t>(session.now() / soc::kClockPeriodPs);
    out << "The tasks in hand at the run's end:\n\n" << queue.in_hand_text(edge) << "\n";
  }
  out << "The firmware's events around it:\n\n" << failure.events;
  out.close();
}

}  // namespace headstack::run
