// SPDX-License-Identifier: Apache-2.0
#include "host/run/post_mortem.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>

#include "host/options/event_names.hpp"
#include "host/output/run_folder.hpp"
#include "host/output/shell_word.hpp"

namespace headstack::run {

namespace fs = std::filesystem;
namespace run_file = output::run_file;

void EventTail::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  events_[count_++ % kEvents] = {edge, number, argument};
}

Picoseconds EventTail::last_at() const {
  return count_ == 0 ? 0 : soc::time_of_edge(events_[(count_ - 1) % kEvents].edge);
}

std::string EventTail::to_text() const {
  std::string text;
  for (std::size_t i = count_ - std::min(count_, kEvents); i < count_; ++i) {
    const Event& event = events_[i % kEvents];
    text += fmt::format("{:>14.6f} ms  edge {:<12} {} {:x}\n", to_ms(soc::time_of_edge(event.edge)),
                        event.edge, options::event_name(event.number), event.argument);
  }
  return text;
}

std::string post_mortem_waves(const RunOptions& options) {
  return (fs::path(options.out) / run_file::kPostMortemWaves).string();
}

std::string debug_command(const RunOptions& options, Picoseconds at) {
  std::string line = "./headstack debug --launch";
  constexpr const char* kOthers[] = {"--post-mortem", "--force", "--gdb", "--run-until", "--out"};
  for (std::size_t i = 0; i < options.words.size(); ++i) {
    const std::string& word = options.words[i];
    // Options that are for the failed run alone. Some take a value.
    if (word == "--gdb" || word == "--run-until" || word == "--out") ++i;
    const std::string name = word.substr(0, word.find('='));
    if (std::find(std::begin(kOthers), std::end(kOthers), name) == std::end(kOthers)) {
      line += " " + output::shell_word(word);
    }
  }
  // The files of the failed run stay.
  const std::string out = (fs::path(options.out) / "debug").string();
  const Picoseconds stop = std::max<Picoseconds>(0, at - kPostMortemLead);
  return line +
         fmt::format(" --out {} --force --run-until 'time {}ps'", output::shell_word(out), stop);
}

void write_post_mortem(const RunOptions& options, const std::string& failure, Picoseconds at,
                       const EventTail& tail, bool waves) {
  output::OutputFile out(output::claim_run_file(options.out, run_file::kPostMortem));
  fmt::print(out, "{}\nat {:.6f} ms of simulated time\n\n", failure, to_ms(at));
  out << "To stand shortly before it, in GDB:\n\n  " << debug_command(options, at) << "\n\n";
  if (waves) {
    fmt::print(out, "Waves of the time before it:\n\n  ./headstack wave view {}\n\n",
               output::shell_word(post_mortem_waves(options)));
  }
  fmt::print(out, "The firmware's last {} events:\n\n{}", EventTail::kEvents, tail.to_text());
  out.close();
}

}  // namespace headstack::run
