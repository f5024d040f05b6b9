// SPDX-License-Identifier: Apache-2.0
#include "host/run/inspection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/output/run_folder.hpp"
#include "host/run/simulation.hpp"
#include "sim/bus/scsi_bus.hpp"
#include "sim/platform/rtl_drive.hpp"

namespace headstack::run {
namespace {

wave::WavePlan wave_plan(const RunOptions& options) {
  wave::WavePlan plan;
  plan.file = options.wave;
  for (const std::string& text : options.wave_windows) {
    plan.windows.push_back(options::parse_window(text));
  }
  for (const std::string& text : options.wave_triggers) {
    plan.windows.push_back(options::parse_trigger(text));
  }
  plan.after = options::parse_time(options.wave_after);
  plan.on_file = [&options](const std::string& path) { output::note_run_file(options.out, path); };
  return plan;
}

}  // namespace

void Inspection::begin(const std::string& title) {
  if (!options_.timeline) return;
  timeline_.emplace(output::claim_run_file(options_.out, output::run_file::kTimeline), title);
  observers_.add(*timeline_);
}

void Inspection::attach(const observe::CoreView& core, const observe::Electronics* electronics,
                        debug::SnapshotRing* ring, bool (*interrupted)(),
                        std::function<void(Picoseconds)> pause_at) {
  // If the core is not inspected, it reports no cycles, and behind_cycles_ would wait for them for
  // ever.
  if (look_of(options_) == session::Look::kNothing) return;
  observers_.add(behind_cycles_);
  if (options_.event_ledger) {
    ledger_.emplace(output::claim_run_file(options_.out, output::run_file::kLedger), core.firmware);
    behind_cycles_.add(*ledger_);
    core.watchers.add(*ledger_);
  }
  if (options_.access_log) {
    accesses_.emplace(output::claim_run_file(options_.out, output::run_file::kAccesses),
                      *core.core);
    core.watchers.add(*accesses_);
  }
  if (options_.profile) {
    profile_.emplace(core.firmware);
    core.watchers.add(*profile_);
  }
  if (timeline_ || !options_.wave.empty() || ring != nullptr) {
    probe_.emplace(core.firmware, core.mechanics, core.bus);
    behind_cycles_.add(*probe_);
    core.watchers.add(*probe_);
  }
  if (timeline_) {
    electronics_timeline_.emplace(*timeline_, *probe_, core.watchers);
    core.watchers.add(*electronics_timeline_);
    core.bus.add_observer(*electronics_timeline_);
  }
  if (electronics != nullptr) record_waves(core, *electronics);
  // Added after the other watchers. When the program stops at an edge, these have noted it.
  if (ring != nullptr) {
    debugging_.emplace(options_, core,
                       debug::Debugging::Access{*probe_, *ring, waves_ ? &*waves_ : nullptr,
                                                interrupted, std::move(pause_at)});
    behind_cycles_.add(debugging_->server());
    core.watchers.add(debugging_->server());
  }
  core.watchers.add(behind_cycles_);
}

void Inspection::pause() {
  if (debugging_) debugging_->server().pause();
}

void Inspection::record_waves(const observe::CoreView& core,
                              const observe::Electronics& electronics) {
  if (options_.wave.empty() && options_.gdb.empty() && !options_.post_mortem) return;
  waves_.emplace(wave_plan(options_), core.firmware, electronics.drive.soc(),
                 electronics.drive.hda(), electronics.bus, *probe_);
  observers_.add(*waves_);
  core.watchers.add(*waves_);
}

void Inspection::record_from(Picoseconds time, const std::string& file) {
  if (!debugging_ || !options_.post_mortem) return;
  const auto edge =
      static_cast<std::uint64_t>(std::max<Picoseconds>(0, time) / soc::kClockPeriodPs);
  debugging_->record_from(edge, file);
}

bool Inspection::recorded() const { return debugging_ && debugging_->recorded(); }

void Inspection::hold(int exit_status) {
  if (debugging_) debugging_->run_over(exit_status);
}

void Inspection::flush() {
  if (ledger_) ledger_->flush();
  if (accesses_) accesses_->flush();
  if (timeline_) timeline_->flush();
}

Inspection::Findings Inspection::finish(Picoseconds at, std::uint64_t commands) {
  Findings findings;
  if (waves_) {
    findings.warnings = waves_->finish(at);
    findings.errors = waves_->unwritten();
  }
  const auto writing = [&findings](const auto& close) {
    try {
      close();
    } catch (const output::OutputError& error) {
      findings.errors.emplace_back(error.what());
    }
  };
  if (ledger_) writing([this] { ledger_->close(); });
  if (accesses_) writing([this] { accesses_->close(); });
  if (profile_) {
    writing([this, commands] {
      output::write_file(output::claim_run_file(options_.out, output::run_file::kProfile),
                         profile_->to_text(commands));
    });
  }
  if (timeline_) writing([this] { timeline_->close(); });
  return findings;
}

}  // namespace headstack::run
