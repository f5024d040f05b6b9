// SPDX-License-Identifier: Apache-2.0
#include "host/session/rtl_platform.hpp"

#include <fmt/format.h>

#include <sysc/kernel/sc_kernel_ids.h>

#include <deque>
#include <string_view>

#include "host/observe/electronics.hpp"
#include "host/session/session.hpp"
#include "sim/initiator/initiator.hpp"
#include "sim/platform/rtl_drive.hpp"

namespace headstack::session {
namespace {

platform::RtlOptions rtl_options(const Options& options) {
  platform::RtlOptions rtl;
  rtl.gating = options.gating;
  if (options.at_rest) rtl.start = channel::HeadDiskAssembly::Start::kAtRest;
  if (options.look != Look::kNothing) rtl.build = soc::SocBuild::kInspect;
  return rtl;
}

observe::Mechanics mechanics_of(const channel::HeadDiskAssembly& hda) {
  return {hda.spindle().spindle(), hda.heads().stack(), hda.geometry(),
          hda.surface().layout().raw_bytes};
}

/// An alarm that calls back from a process of its own.
class KernelAlarm : public sc_core::sc_module {
 public:
  explicit KernelAlarm(sc_core::sc_module_name name) : sc_module(name) {
    SC_METHOD(go_off);
    sensitive << due_;
    dont_initialize();
  }
  void on_due(std::function<void()> action) { action_ = std::move(action); }
  void set(Picoseconds time) {
    due_.cancel();
    due_.notify(to_sc_time(time - now_ps()));
  }

 private:
  SC_HAS_PROCESS(KernelAlarm);
  void go_off() { action_(); }

  sc_core::sc_event due_;
  std::function<void()> action_;
};

class RtlPlatform : public Platform {
 public:
  RtlPlatform(const Options& options, const drive::DriveDescription& description,
              observe::RunObserver& observer)
      : image_(soc::ElfImage::read(options.firmware)),
        bus_("bus"),
        drive_("drive", description, image_, bus_, rtl_options(options), &observer, &observer,
               make_media(options, description)),
        alarm_("alarm") {
    for (std::uint32_t host = 0; host < options.hosts; ++host) {
      const std::string name = host == 0 ? "initiator" : fmt::format("initiator{}", host);
      initiators_.emplace_back(name.c_str(), bus_, adapter_config(options, host));
    }
    if (options.look != Look::kNothing) drive_.clock().watch_core(&watchers_);
  }

  initiator::HostAdapter& adapter(std::uint32_t host) override { return initiators_[host]; }
  bus::ObservedBus& bus() override { return bus_; }
  Picoseconds now() const override { return now_ps(); }
  void on_wake(std::function<void()> action) override { alarm_.on_due(std::move(action)); }
  void wake_at(Picoseconds time) override { alarm_.set(time); }
  void on_pause(std::function<void()> action) override {
    drive_.clock().on_pause(std::move(action));
  }
  void pause_at(Picoseconds time) override { drive_.clock().pause_at(time); }
  void run_until(Picoseconds time) override {
    try {
      drive_.clock().run_until(time);
    } catch (const sc_core::sc_report& report) {
      // The kernel keeps only the message of an exception that leaves a process.
      const std::string_view kind = report.get_msg_type();
      if (kind != sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_) throw;
      throw SessionError(report.get_msg());
    }
  }
  bool rests_at(Picoseconds /*time*/) const override { return drive_.soc().asleep(); }
  media::MediaStore& media() override { return drive_.hda().surface().media(); }
  void lose_power(drive::PowerLoss loss) override {
    if (!firmware_cycles_) firmware_cycles_ = drive_.clock().clock().core_edges();
    drive_.lose_power(loss);
  }
  /// Before the power fails, the clock does not run past the pause. Only at an event it may be
  /// ahead, and then it reports the event's own edge.
  void count_cycles_until(Picoseconds time) override {
    const soc::SocClock& clock = drive_.clock().clock();
    if (clock.last_edge() * soc::kClockPeriodPs >= time) firmware_cycles_ = clock.core_edges();
  }
  const observe::CoreView* core() override { return &core_; }
  const observe::Electronics* electronics() override { return &electronics_; }
  std::optional<std::uint32_t> exit_code() const override { return drive_.clock().exit_code(); }
  std::optional<soc::CoreFault> core_fault() const override {
    return drive_.clock().clock().fault();
  }
  std::optional<soc::CoreFrame> core_frame() const override { return drive_.soc().frame(); }
  const soc::CoreAccess* stopped_core() override { return &drive_.soc(); }
  Picoseconds exit_time() const override {
    return drive_.clock().clock().last_edge() * soc::kClockPeriodPs;
  }

  Figures figures() const override {
    const soc::SocClock& clock = drive_.clock().clock();
    const double edges = static_cast<double>(now()) / soc::kClockPeriodPs;
    return {firmware_cycles_.value_or(clock.core_edges()),
            static_cast<double>(clock.evaluations()) / std::max(edges, 1.0),
            bus_.violation_count(),
            {}};
  }

 private:
  soc::ElfImage image_;
  bus::ScsiBus bus_;
  mutable platform::RtlDrive drive_;
  std::deque<initiator::Initiator> initiators_;  // adapter of each host; a deque, because modules
                                                 // must not move
  KernelAlarm alarm_;
  std::optional<std::uint64_t> firmware_cycles_;  // cycles when counting ended
  observe::CoreWatchers watchers_;
  observe::CoreView core_{image_, watchers_, mechanics_of(drive_.hda()), bus_, &drive_.soc()};
  observe::Electronics electronics_{drive_, bus_};
};

}  // namespace

std::unique_ptr<Platform> make_rtl_platform(const Options& options,
                                            const drive::DriveDescription& description,
                                            observe::RunObserver& observer) {
  return std::make_unique<RtlPlatform>(options, description, observer);
}

}  // namespace headstack::session
