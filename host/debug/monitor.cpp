// SPDX-License-Identifier: Apache-2.0
#include "host/debug/monitor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "host/options/event_names.hpp"
#include "host/options/wave_window.hpp"
#include "sim/soc/soc_ports.hpp"
#include "sim/units.hpp"

namespace headstack::debug {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view line) {
  Words words;
  std::string word;
  for (const char character : line) {
    if (character != ' ' && character != '\t') {
      word += character;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// Whether a byte is a control character. A file name with one may be shown as another name.
bool is_control(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return (byte < ' ' && byte != '\t') || byte == 0x7F;
}

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

constexpr const char* kUntilUsage =
    "it takes one of: cmd N, time T (a number and ps, ns, us, ms or s), event NAME[:N]";
constexpr const char* kGotoUsage =
    "it takes one of: start, end, command N, time T (a number and ps, ns, us, ms or s), event "
    "NAME[:N]";

/// The number of the first clock edge at or after a time such as "12.5ms".
std::optional<std::uint64_t> edge_at(const std::string& text) {
  try {
    const Picoseconds time = options::parse_time(text);
    return static_cast<std::uint64_t>((time + soc::kClockPeriodPs - 1) / soc::kClockPeriodPs);
  } catch (const options::WindowError&) {
    return std::nullopt;
  }
}

Until until_of(const Words& arguments) {
  if (arguments.size() != 2) throw UntilError(kUntilUsage);
  const std::string& what = arguments[0];
  const std::string& which = arguments[1];
  Until until;
  if (what == "cmd") {
    until.command = whole_number(which);
    if (!until.command) throw UntilError(fmt::format("'{}' is not the number of a request", which));
  } else if (what == "time") {
    until.edge = edge_at(which);
    if (!until.edge)
      throw UntilError(fmt::format("'{}' is not a time: write 12.5ms, 300us", which));
  } else if (what == "event") {
    const std::size_t colon = which.find(':');
    const std::string name = which.substr(0, colon);
    until.event = options::event_number(name);
    if (!until.event) {
      throw UntilError(fmt::format("there is no event '{}': firmware/events.h lists them", name));
    }
    if (colon != std::string::npos) {
      const std::optional<std::uint64_t> number = whole_number(which.substr(colon + 1));
      if (!number || *number == 0) {
        throw UntilError(
            fmt::format("'{}' names no event: write {}:2 for the second", which, name));
      }
      until.event_number = *number;
    }
  } else {
    throw UntilError(kUntilUsage);
  }
  return until;
}

std::string run_until(MonitorTarget& target, const Words& arguments) {
  try {
    std::string past = target.set_until(until_of(arguments));
    if (!past.empty()) return past;
  } catch (const UntilError& error) {
    return fmt::format("{}\n", error.what());
  }
  return fmt::format("the next 'continue' stops at {} {}\n", arguments[0], arguments[1]);
}

std::string go_to(MonitorTarget& target, const Words& arguments) {
  Words words = arguments;
  if (!words.empty() && words[0] == "command") words[0] = "cmd";
  const std::string place = fmt::format("{}", fmt::join(arguments, " "));
  std::string error;
  if (arguments == Words{"start"}) {
    error = target.go_to_start();
  } else if (arguments == Words{"end"}) {
    error = target.go_to({}, "");
  } else if (arguments.size() != 2) {
    return fmt::format("{}\n", kGotoUsage);
  } else {
    try {
      error = target.go_to(until_of(words), fmt::format("{} {}", words[0], words[1]));
    } catch (const UntilError& wrong) {
      return fmt::format("{}\n",
                         wrong.what() == std::string(kUntilUsage) ? kGotoUsage : wrong.what());
    }
  }
  return error.empty() ? fmt::format("the next 'continue' goes to {}\n", place) : error;
}

std::string step_into_handlers(MonitorTarget& target, const Words& /*arguments*/) {
  Until until;
  until.next = true;
  target.set_until(until);
  return "the next 'continue' stops at the very next instruction, even that of an interrupt "
         "handler\n";
}

std::string block_registers(MonitorTarget& target, const Words& arguments) {
  if (arguments.size() > 1) return "reg [BLOCK[.REGISTER]]\n";
  return target.block_registers(arguments.empty() ? "" : arguments[0]);
}

std::string wave(MonitorTarget& target, const Words& arguments) {
  if (arguments.size() == 2 && arguments[0] == "on") return target.open_waves(arguments[1]);
  if (arguments.size() == 1 && arguments[0] == "off") return target.close_waves();
  return "wave on FILE.fst | wave off\n";
}

std::string help(MonitorTarget& target, const Words& arguments);

struct Command {
  const char* name;
  const char* arguments;
  const char* text;
  std::string (*run)(MonitorTarget& target, const Words& arguments);
};

constexpr Command kCommands[] = {
    {"help", "", "this list", help},
    {"when", "", "simulated time, clock edge, requests and events so far",
     [](MonitorTarget& target, const Words&) { return target.when(); }},
    {"goto", "start | end | command N | time T | event NAME[:N]",
     "the next 'continue' goes there, forward or back: after the issue of request N (from 0), to a "
     "time (12.5ms), or to the instruction after an event, the next one or the Nth of the run",
     go_to},
    {"run-until", "cmd N | time T | event NAME[:N]",
     "the next 'continue' stops after the issue of request N (from 0), at a time (12.5ms), or "
     "after an event",
     run_until},
    {"stepi-isr", "",
     "the next 'continue' stops at the very next instruction, also in an interrupt handler, which "
     "GDB's own stepi runs through",
     step_into_handlers},
    {"queue", "", "the drive's tasks, the oldest first",
     [](MonitorTarget& target, const Words&) { return target.queue(); }},
    {"drive", "", "arm, spindle, bus and firmware in words",
     [](MonitorTarget& target, const Words&) { return target.drive(); }},
    {"reg", "[BLOCK[.REGISTER]]",
     "registers of the drive's blocks, with their fields by name, and without a side effect; "
     "without a name: which there are",
     block_registers},
    {"wave", "on FILE.fst | off", "record waves from here on, into the run's folder", wave},
    {"fork-history", "", "permit changes in the past; the first one drops the run after that point",
     [](MonitorTarget& target, const Words&) { return target.fork_history(); }},
};

std::string help(MonitorTarget& /*target*/, const Words& /*arguments*/) {
  std::string text;
  for (const Command& command : kCommands) {
    text += fmt::format("  {:<40} {}\n", fmt::format("{} {}", command.name, command.arguments),
                        command.text);
  }
  return text;
}

}  // namespace

Until parse_until(std::string_view words) { return until_of(words_of(words)); }

std::string run_monitor_command(MonitorTarget& target, std::string_view line) {
  if (const auto bad = std::find_if(line.begin(), line.end(), is_control); bad != line.end()) {
    return fmt::format("byte {} is {:02x}h: a command has no control characters\n",
                       bad - line.begin(), static_cast<unsigned>(static_cast<unsigned char>(*bad)));
  }
  Words words = words_of(line);
  if (words.empty()) words.emplace_back("help");
  const std::string name = words.front();
  words.erase(words.begin());
  for (const Command& command : kCommands) {
    if (name != command.name) continue;
    if (*command.arguments == '\0' && !words.empty()) {
      return fmt::format("'{}' takes no '{}'\n", name, words.front());
    }
    return command.run(target, words);
  }
  return fmt::format("there is no command '{}': 'monitor help' lists them\n", name);
}

}  // namespace headstack::debug
