#include "host/run/post_mortem.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "host/output/shell_word.hpp"
#include "host/run/event_names.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;

}  // namespace

void EventTail::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  if (events_.size() == kEvents) events_.pop_front();
  events_.push_back({edge, number, argument});
}

std::string EventTail::to_text() const {
  std::string text;
  for (const Event& event : events_) {
    text += fmt::format("{:>14.6f} ms  edge {:<12} {} {:x}\n", to_ms(soc::time_of_edge(event.edge)),
                        event.edge, event_name(event.number), event.argument);
  }
  return text;
}

std::string post_mortem_waves(const RunOptions& options) {
  return (fs::path(options.out) / "post-mortem.fst").string();
}

std::string debug_command(const RunOptions& options, Picoseconds at) {
  std::string line = "./headstack debug --launch";
  for (std::size_t i = 0; i < options.words.size(); ++i) {
    const std::string& word = options.words[i];
    // What is for the run that failed alone, some with a value behind.
    if (word == "--gdb" || word == "--run-until") ++i;
    const bool left_out =
        word == "--post-mortem" || word.rfind("--gdb", 0) == 0 || word.rfind("--run-until", 0) == 0;
    if (!left_out) line += " " + output::shell_word(word);
  }
  const Picoseconds stop = std::max<Picoseconds>(0, at - kPostMortemLead);
  return line + fmt::format(" --run-until 'time {}ps'", stop);
}

void write_post_mortem(const RunOptions& options, const std::string& failure, Picoseconds at,
                       const EventTail& tail, bool waves) {
  std::ofstream out(fs::path(options.out) / "post-mortem.txt");
  fmt::print(out, "{}\nat {:.6f} ms of simulated time\n\n", failure, to_ms(at));
  out << "To stand shortly before it, in GDB:\n\n  " << debug_command(options, at) << "\n\n";
  if (waves) {
    fmt::print(out, "Waves of the time before it:\n\n  ./headstack wave view {}\n\n",
               output::shell_word(post_mortem_waves(options)));
  }
  fmt::print(out, "The firmware's last {} events:\n\n{}", EventTail::kEvents, tail.to_text());
}

}  // namespace headstack::run
