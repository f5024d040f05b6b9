// SPDX-License-Identifier: Apache-2.0
// The scenarios' platform in transactions: the same firmware on the models of its electronics,
// natively or, with HEADSTACK_ON_CORE, exact to the cycle.
#include <algorithm>
#include <deque>

#include "sim/platform/vp_drive.hpp"
#include "sim/tlm/bus/transaction_link.hpp"
#include "tests/scenario/platform.hpp"
#include "tests/vp_firmware.hpp"

namespace headstack::scenario {
namespace {

class VpPlatform : public Platform {
 public:
  explicit VpPlatform(const PlatformSetup& setup)
      : drive_(setup.description, bus_, options(setup), nullptr, nullptr, make_media(setup)) {
    for (const initiator::Config& config : setup.hosts) hosts_.emplace_back(bus_, config);
  }

  Picoseconds now() const override { return agenda_.now(); }
  void run_until(Picoseconds time) override { agenda_.run_to(std::max(time, agenda_.now())); }
  std::optional<std::uint32_t> exit_code() const override { return drive_.exit_code(); }
  initiator::HostAdapter& host(std::size_t index) override { return hosts_.at(index); }
  bus::Phase phase() const override { return bus_.phase(); }

  const std::vector<bus::Violation>& violations() const override { return bus_.violations(); }

  const geometry::Geometry& geometry() const override { return drive_.disk().geometry(); }
  channel::Surface& surface() override { return drive_.disk().surface(); }
  bool read_ready() const override {
    const tlm::Disk& disk = drive_.disk();
    return disk.spindle().state(agenda_.now()) == mechanics::Spindle::State::kAtSpeed &&
           disk.heads().read_ready_at() <= agenda_.now();
  }
  core::Hart* hart() override {
    tlm::ExactCore* core = drive_.exact_core();
    return core == nullptr ? nullptr : &core->hart();
  }

 private:
  static platform::VpOptions options(const PlatformSetup& setup) {
    platform::VpOptions options;
    options.start = setup.at_speed ? tlm::Disk::Start::kAtSpeed : tlm::Disk::Start::kAtRest;
    options.firmware = test::vp_firmware();
    return options;
  }

  tlm::Agenda agenda_;
  tlm::TransactionBus bus_{agenda_};
  platform::VpDrive drive_;
  std::deque<tlm::TransactionInitiator> hosts_;
};

}  // namespace

int moment_step() { return 1; }
std::uint32_t storm_seeds() { return test::vp_firmware() != nullptr ? 12 : 60; }

std::unique_ptr<Platform> make_platform(const PlatformSetup& setup) {
  return std::make_unique<VpPlatform>(setup);
}

}  // namespace headstack::scenario
