// SPDX-License-Identifier: Apache-2.0
#include "host/wave/wave_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "host/output/output_file.hpp"
#include "host/wave/wave_file.hpp"
#include "sim/soc/fst_stdio.hpp"

namespace headstack::wave {
namespace {

namespace fs = std::filesystem;

/// Makes the file at once, so that an error in the path is reported before the first window. A file
/// of an earlier run is emptied, so that it cannot be mistaken for this run's.
void make_room(const std::string& path) {
  if (path.empty()) return;
  require_room_for_waves(path);
  const bool possible = !fs::is_directory(path) && std::ofstream(path, std::ios::app).is_open();
  if (!possible) {
    throw std::runtime_error(
        fmt::format("observe.waves.file {}: cannot be written; does its folder exist?", path));
  }
  fs::remove(path);
}

}  // namespace

WaveRecorder::WaveRecorder(const WavePlan& plan, const soc::ElfImage& firmware, soc::Soc& soc,
                           const channel::HeadDiskAssembly& hda, bus::ScsiBus& bus,
                           const observe::DriveProbe& probe)
    : plan_(plan),
      functions_(firmware),
      probe_(probe),
      bus_(bus),
      sampler_(hda),
      drive_(functions_),
      waves_(soc, drive_.signals()),
      windows_(plan.windows, plan.after),
      by_hand_(plan.file.empty()) {
  make_room(plan_.file);
  bus_.add_observer(*this);
  next_change_ = windows_.next_change();
}

WaveRecorder::~WaveRecorder() {
  bus_.remove_observer(*this);
  waves_.close();
}

std::vector<std::string> WaveRecorder::finish(Picoseconds at) {
  // A drive without power may have finished its sector after `at`.
  catch_up(std::max(at, latest_));
  if (waves_.is_open()) stop_file(latest_);
  std::vector<std::string> warnings;
  if (plan_.file.empty()) return warnings;
  for (const std::string& window : windows_.not_come()) {
    warnings.push_back(fmt::format("'{}' never came: the run ended at {:.6f} ms{}", window,
                                   to_ms(at), files_ == 0 ? ", and there is no wave file" : ""));
  }
  if (skipped_ > 0) {
    warnings.push_back(fmt::format("{} more windows came after the {} that have a wave file",
                                   skipped_, kMaxFiles));
  }
  return warnings;
}

// -------------------------------------------------------------------------------------- by command

void WaveRecorder::open(const std::string& path) {
  by_hand_ = true;
  if (waves_.is_open()) stop_file(latest_);
  start_file(path, latest_);
}

std::string WaveRecorder::close() {
  by_hand_ = true;
  const std::size_t known = unwritten_.size();
  if (waves_.is_open()) stop_file(latest_);
  return unwritten_.size() == known ? "" : unwritten_.back() + '\n';
}

void WaveRecorder::abandon() {
  by_hand_ = true;
  waves_.abandon();
}

// ----------------------------------------------------------------------------------------- reports

void WaveRecorder::core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) {
  waves_.edge(soc::time_of_edge(edge));
  asleep_ = activity.asleep;
  if (activity.retirement.valid) last_address_ = activity.retirement.pc;
  if (!waves_.is_open()) return;
  if (asleep_) drive_.asleep();
  if (!activity.retirement.valid) return;
  drive_.retired(last_address_);
  take_firmware(soc::time_of_edge(edge));
}

void WaveRecorder::firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) {
  const Picoseconds at = soc::time_of_edge(edge);
  catch_up(at);
  drive_.event(number, argument);
  take_firmware(at);
  windows_.event(at, number);
  apply_windows(at);
}

void WaveRecorder::seek_began(Picoseconds at, const geometry::Chs& /*track*/,
                              const mechanics::Positioning& parts) {
  catch_up(at);
  sampler_.seek_began(at, parts);
  // The heads leave only after this call, so their start is sampled next.
  next_sample_ = at;
}

void WaveRecorder::levels_changed(Picoseconds at, const channel::HdaLevels& /*levels*/) {
  catch_up(at);
  next_sample_ = at;
}

void WaveRecorder::command_issued(Picoseconds at, std::uint64_t number, std::uint16_t /*tag*/,
                                  const traces::TraceRequest& /*request*/) {
  catch_up(at);
  windows_.command_issued(number);
  apply_windows(at);
}

void WaveRecorder::command_completed(Picoseconds at, std::uint16_t /*tag*/,
                                     const report::CommandRecord& record) {
  catch_up(at);
  windows_.command_completed(record.number());
  if (record.missed_deadline()) windows_.event(at, options::kMissedDeadline);
  apply_windows(at);
}

void WaveRecorder::lines_changed(Picoseconds at, bus::LineSet /*before*/, bus::LineSet /*now*/) {
  catch_up(at);
}

void WaveRecorder::phase_changed(Picoseconds at, bus::Phase /*from*/, bus::Phase to) {
  drive_.phase(to);
  take_firmware(at);
}

void WaveRecorder::byte_moved(Picoseconds at, bus::Phase phase, bus::LineSet lines) {
  drive_.byte_moved(phase, lines);
  take_firmware(at);
}

void WaveRecorder::violated(const bus::Violation& violation) {
  catch_up(violation.at);
  windows_.event(violation.at, options::kBusViolation);
  apply_windows(violation.at);
}

// ---------------------------------------------------------------------------------------- writing

/// Writes all that happens before `until`. The next report happens at that time.
void WaveRecorder::catch_up(Picoseconds until) {
  latest_ = std::max(latest_, until);
  while (next_change_ <= until) {
    const Picoseconds at = next_change_;
    sample_until(at);
    windows_.time_is(at);
    apply_windows(at);
  }
  if (!waves_.is_open()) return;
  sample_until(until);
  waves_.moment(until);
}

void WaveRecorder::sample_until(Picoseconds until) {
  while (waves_.is_open() && next_sample_ < until) sample(next_sample_);
}

void WaveRecorder::sample(Picoseconds at) {
  waves_.moment(at);
  drive_.take_mechanics(probe_.state(at));
  next_sample_ = sampler_.next_after(at);
}

void WaveRecorder::take_firmware(Picoseconds at) {
  if (waves_.is_open()) drive_.take_firmware(probe_.state(at));
}

void WaveRecorder::apply_windows(Picoseconds at) {
  next_change_ = windows_.next_change();
  if (by_hand_) return;
  const bool wanted = windows_.wanted();
  if (!wanted && waves_.is_open()) stop_file(at);
  if (wanted && !waves_.is_open() && files_ < kMaxFiles) start_file(next_path(), at);
  const bool skipping = wanted && !waves_.is_open();
  if (skipping && !skipping_) ++skipped_;
  skipping_ = skipping;
}

void WaveRecorder::start_file(const std::string& path, Picoseconds at) {
  const observe::DriveState state = probe_.state(at);
  drive_.take_mechanics(state);
  drive_.take_firmware(state);
  drive_.retired(last_address_);
  if (asleep_) drive_.asleep();
  next_sample_ = sampler_.next_after(at);
  waves_.open(path, at);
  path_ = path;
  ++files_;
  if (!plan_.on_file) return;
  try {
    plan_.on_file(path);
  } catch (const std::exception& error) {
    unwritten_.emplace_back(error.what());  // the error must not reach the simulation's kernel
  }
}

void WaveRecorder::stop_file(Picoseconds at) {
  sample_until(at);
  sample(at);
  waves_.close();
  const int error = soc::take_wave_error();
  if (error != 0) unwritten_.emplace_back(output::output_error(path_, error).what());
}

/// The path of the next file: FILE.fst, FILE.2.fst, ...
std::string WaveRecorder::next_path() const {
  if (files_ == 0) return plan_.file;
  fs::path path(plan_.file);
  return path.replace_extension(fmt::format("{}.fst", files_ + 1)).string();
}

}  // namespace headstack::wave
