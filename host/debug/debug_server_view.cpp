// SPDX-License-Identifier: Apache-2.0
// The part of DebugServer that shows and changes the run while it stands.
#include <fmt/format.h>

#include <algorithm>

#include "host/debug/block_registers.hpp"
#include "host/debug/debug_server.hpp"
#include "host/debug/drive_text.hpp"
#include "host/debug/registers.hpp"
#include "host/wave/wave_file.hpp"

namespace headstack::debug {
namespace {

constexpr const char* kNoSnapshot =
    "there is no snapshot to go back to: run with observe.snapshot_every\n";

/// The exact time of a clock edge.
std::string microseconds(std::uint64_t edge) {
  const Picoseconds ps = soc::time_of_edge(edge);
  return fmt::format("{}.{:06}", ps / kPicosecondsPerMicrosecond, ps % kPicosecondsPerMicrosecond);
}

}  // namespace

std::optional<std::string> DebugServer::register_hex(unsigned number) {
  return debug::register_hex(
      {parts_.core.registers(), parts_.probe.state(soc::time_of_edge(edge_)), edge_}, number);
}

std::optional<std::string> DebugServer::read_memory(std::uint32_t address, std::size_t bytes) {
  std::vector<std::uint8_t> read;
  if (address < soc::CoreAccess::kRamBytes) {
    read = parts_.core.read_ram(address,
                                std::min<std::size_t>(bytes, soc::CoreAccess::kRamBytes - address));
  } else if (address >= kBufferAddress &&
             address - kBufferAddress < soc::CoreAccess::kBufferBytes) {
    const std::uint32_t offset = address - kBufferAddress;
    read = parts_.core.read_buffer(
        offset, std::min<std::size_t>(bytes, soc::CoreAccess::kBufferBytes - offset));
  } else {
    return std::nullopt;  // reading a register could have an effect
  }
  return std::string(read.begin(), read.end());
}

std::string DebugServer::write_register(unsigned number, std::uint32_t value) {
  if (number == 0) return "";
  if (number == kPc) return "the PC cannot be set: the core has already fetched the instruction";
  if (begun_ != edge_ && !parts_.core.asleep()) {
    return "the core is in the middle of an instruction: stepi first";
  }
  if (std::string why = change(); !why.empty()) return why;
  parts_.core.set_register(number, value);
  return "";
}

std::string DebugServer::write_memory(std::uint32_t address, const std::string& bytes) {
  if (address >= soc::CoreAccess::kRamBytes ||
      bytes.size() > soc::CoreAccess::kRamBytes - address) {
    return "only firmware RAM can be written";
  }
  if (std::string why = change(); !why.empty()) return why;
  parts_.core.write_ram(address, std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  return "";
}

std::string DebugServer::target_description() { return debug::target_description(); }
std::string DebugServer::memory_map() { return debug::memory_map(); }

// ---------------------------------------------------------------------------------------- monitor

std::string DebugServer::monitor(std::string_view command) {
  return run_monitor_command(*this, command);
}

std::string DebugServer::when() const {
  std::string text = fmt::format("{} us, clock edge {}; {} requests issued, {} events\n",
                                 microseconds(edge_), edge_, requests_, events_);
  if (edge_ < furthest_) {
    text += fmt::format("in the past: the run has been at {} us\n", microseconds(furthest_));
  }
  return text;
}

std::string DebugServer::queue() const { return parts_.queue.to_text(edge_); }

std::string DebugServer::drive() const {
  return drive_text(parts_.probe.state(soc::time_of_edge(edge_)));
}

std::string DebugServer::block_registers(const std::string& name) {
  return block_registers_text(parts_.core, name);
}

bool DebugServer::is_past(const Until& until) const {
  if (until.edge) return *until.edge <= edge_;
  if (until.command) return *until.command < requests_;
  if (!until.event || until.event_number == 0) return false;
  const auto count = events_of_.find(*until.event);
  return count != events_of_.end() && until.event_number <= count->second;
}

std::string DebugServer::go_to(const Until& until, const std::string& words) {
  way_back_.reset();
  if (!is_past(until)) {
    wait_for(until);
    return "";
  }
  forget_until();
  if (until.edge && *until.edge == edge_) return "the run stands there\n";
  if (parts_.ring == nullptr || parts_.ring->positions().empty()) return kNoSnapshot;
  // The run that is woken from this snapshot checks whether the place lies even before it.
  const std::uint64_t before = until.edge ? *until.edge + 1 : edge_;
  Order way = order(Order::Task::kGoOn, until.edge.value_or(edge_));
  way.words = words;
  way_back_ = {parts_.ring->before(before).value_or(parts_.ring->positions().front()), way};
  return "";
}

std::string DebugServer::go_to_start() {
  if (parts_.ring == nullptr || parts_.ring->positions().empty()) return kNoSnapshot;
  forget_until();
  const std::uint64_t first = parts_.ring->positions().front();
  way_back_ = {first, order(Order::Task::kGo, first)};
  return "";
}

std::string DebugServer::set_until(const Until& until) {
  way_back_.reset();
  constexpr const char* kRemedy =
      "go back first (reverse-continue, or 'run' for the beginning), or name a later one";
  if (until.edge && *until.edge <= edge_) {
    return fmt::format("{} us are past: the run stands at {} us; {}\n", microseconds(*until.edge),
                       microseconds(edge_), kRemedy);
  }
  if (until.command && *until.command < requests_) {
    return fmt::format("request {} is past: requests 0 to {} have been issued; {}\n",
                       *until.command, requests_ - 1, kRemedy);
  }
  wait_for(until);
  return "";
}

std::string DebugServer::open_waves(const std::string& path) {
  if (parts_.waves == nullptr) return "this run cannot make waves\n";
  std::string file;
  try {
    // The path is checked first, since a user of the debugger's port must not reach other files.
    file = wave::wave_path_below(settings_.folder, path);
    parts_.waves->open(file);
  } catch (const std::exception& error) {
    return fmt::format("{}\n", error.what());
  }
  waves_open_ = true;
  return fmt::format("waves go to {}; no snapshots are taken until 'wave off'\n", file);
}

std::string DebugServer::close_waves() {
  waves_open_ = false;
  return parts_.waves == nullptr ? "" : parts_.waves->close();
}

std::string DebugServer::fork_history() {
  if (edge_ >= furthest_) return "this is the present, which may always be changed\n";
  fork_history_ = true;
  return "the past may be changed now: the first change drops what came after\n";
}

}  // namespace headstack::debug
