// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "firmware/queue/gscan.h"
#include "firmware/queue/policy_table.h"
#include "host/observe/electronics.hpp"
#include "host/reference/reference_scheduler.hpp"
#include "host/session/exact_core_view.hpp"
#include "host/session/platform.hpp"
#include "sim/platform/vp_drive.hpp"
#include "sim/tlm/bus/transaction_link.hpp"

namespace headstack::session {
namespace {

std::optional<soc::ElfImage> program(const Options& options) {
  if (options.platform == PlatformKind::kNative) return std::nullopt;
  return soc::ElfImage::read(options.firmware);
}

platform::VpOptions drive_options(const Options& options,
                                  const std::optional<soc::ElfImage>& firmware) {
  platform::VpOptions drive;
  if (firmware) drive.firmware = &*firmware;
  drive.translations = options.translations;
  if (options.at_rest) drive.start = tlm::Disk::Start::kAtRest;
  if (options.access_price) drive.access_price = *options.access_price;
  if (options.ideal_electronics) drive.access_price = 0;
  drive.reference = reference_scheduler::find(options.reference);
  return drive;
}

/// The counters of `gscan`, on `native`.
std::vector<std::pair<std::string, std::uint64_t>> policy_work(const ::drive* firmware) {
  if (firmware == nullptr || firmware->scheduler.policy != &policy_gscan) return {};
  const ::gscan_counters& counters = *gscan_counters_of(firmware->scheduler.state.bytes);
  std::vector<std::pair<std::string, std::uint64_t>> work;
  const auto add = [&work](const std::string& when, const ::gscan_work& of) {
    work.emplace_back(when + "_times", of.times);
    work.emplace_back(when + "_units", of.units);
    work.emplace_back(when + "_created", of.created);
    work.emplace_back(when + "_kept", of.kept);
    work.emplace_back(when + "_evaluations", of.evaluations);
  };
  add("arrival", counters.arrival);
  add("decision", counters.decision);
  return work;
}

observe::Mechanics mechanics_of(const tlm::Disk& disk) {
  return {disk.spindle(), disk.heads(), disk.geometry(), disk.layout().raw_bytes};
}

class VpPlatform : public Platform {
 public:
  VpPlatform(const Options& options, const drive::DriveDescription& description,
             observe::RunObserver& observer)
      : bus_(agenda_, options.ideal_electronics),
        firmware_(program(options)),
        drive_(description, bus_, drive_options(options, firmware_), &observer, &observer,
               make_media(options, description)),
        alarm_(agenda_, [this] { action_(); }),
        pause_(agenda_, [this] { pause_action_(); }) {
    for (std::uint32_t host = 0; host < options.hosts; ++host) {
      adapters_.emplace_back(bus_, adapter_config(options, host));
    }
    if (!firmware_) return;
    if (options.look != Look::kNothing) {
      exact_.emplace(drive_, agenda_, watchers_, options.look == Look::kInstructions);
    }
    core_.emplace(observe::CoreView{*firmware_, watchers_, mechanics_of(drive_.disk()), bus_,
                                    exact_ ? &*exact_ : nullptr});
  }

  initiator::HostAdapter& adapter(std::uint32_t host) override { return adapters_[host]; }
  bus::ObservedBus& bus() override { return bus_; }
  Picoseconds now() const override { return agenda_.now(); }
  void on_wake(std::function<void()> action) override { action_ = std::move(action); }
  void wake_at(Picoseconds time) override { alarm_.set(std::max(time, agenda_.now())); }
  void on_pause(std::function<void()> action) override { pause_action_ = std::move(action); }
  /// Pauses one picosecond later, after all alarms of `time`. No clock edge is at that picosecond.
  void pause_at(Picoseconds time) override { pause_.set(std::max(time + 1, agenda_.now())); }
  /// Runs up to `time`. Firmware at work may carry the platform past it.
  void run_until(Picoseconds time) override {
    if (time > agenda_.now()) agenda_.run_to(time);
  }
  bool rests_at(Picoseconds time) const override {
    const tlm::ExactCore* core = drive_.exact_core();
    return core == nullptr || (core->asleep() && core->asleep_from() * soc::kClockPeriodPs <= time);
  }
  std::optional<std::uint32_t> exit_code() const override { return drive_.exit_code(); }
  std::optional<soc::CoreFault> core_fault() const override {
    const tlm::ExactCore* core = drive_.exact_core();
    return core != nullptr ? core->fault() : std::nullopt;
  }
  std::optional<soc::CoreFrame> core_frame() const override {
    const tlm::ExactCore* core = drive_.exact_core();
    if (core == nullptr) return std::nullopt;
    return soc::CoreFrame{core->hart().pc(), core->hart().x(2), core->hart().x(1)};
  }
  const soc::CoreAccess* stopped_core() override {
    if (drive_.exact_core() == nullptr) return nullptr;
    if (!exact_) exact_.emplace(drive_, agenda_, watchers_, false);
    return &*exact_;
  }
  Picoseconds exit_time() const override {
    const tlm::ExactCore* core = drive_.exact_core();
    return core != nullptr ? core->exit_edge() * soc::kClockPeriodPs : now();
  }

  Figures figures() const override {
    const Picoseconds awake = drive_.core().awake_time();
    return {static_cast<std::uint64_t>(awake / soc::kClockPeriodPs),
            static_cast<double>(awake) / static_cast<double>(std::max<Picoseconds>(now(), 1)),
            bus_.violation_count(), policy_work(drive_.firmware_state())};
  }
  media::MediaStore& media() override { return drive_.disk().media(); }
  void lose_power(drive::PowerLoss loss) override { drive_.lose_power(loss); }
  void count_cycles_until(Picoseconds time) override {
    if (tlm::ExactCore* core = drive_.exact_core()) {
      core->count_awake_until(time / soc::kClockPeriodPs);
    }
  }
  const observe::CoreView* core() override { return core_ ? &*core_ : nullptr; }

 private:
  tlm::Agenda agenda_;
  tlm::TransactionBus bus_;
  std::optional<soc::ElfImage> firmware_;
  platform::VpDrive drive_;
  std::deque<tlm::TransactionInitiator> adapters_;  // adapter of each host; a deque, because the
                                                    // bus points at its elements
  observe::CoreWatchers watchers_;
  std::optional<ExactCoreView> exact_;     // set on `vp`, in a session with inspection
  std::optional<observe::CoreView> core_;  // set on `vp`
  std::function<void()> action_;
  tlm::Alarm alarm_;
  std::function<void()> pause_action_;
  tlm::Alarm pause_;
};

}  // namespace

std::unique_ptr<Platform> make_vp_platform(const Options& options,
                                           const drive::DriveDescription& description,
                                           observe::RunObserver& observer) {
  return std::make_unique<VpPlatform>(options, description, observer);
}

}  // namespace headstack::session
