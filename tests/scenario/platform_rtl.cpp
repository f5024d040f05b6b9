// SPDX-License-Identifier: Apache-2.0
// The scenarios' platform on pins: drive.elf on the Verilated SoC, and the bus with its checker.
#include <deque>

#include "sim/initiator/initiator.hpp"
#include "sim/kernel_time.hpp"
#include "sim/platform/rtl_drive.hpp"
#include "tests/paths.hpp"
#include "tests/scenario/platform.hpp"

namespace headstack::scenario {
namespace {

class RtlPlatform : public Platform {
 public:
  explicit RtlPlatform(const PlatformSetup& setup)
      : drive_("drive", setup.description, soc::ElfImage::read(test::drive_elf()), bus_,
               options(setup), nullptr, nullptr, make_media(setup)) {
    for (const initiator::Config& config : setup.hosts) {
      const std::string name = "host" + std::to_string(hosts_.size());
      hosts_.emplace_back(name.c_str(), bus_, config);
    }
  }

  Picoseconds now() const override { return now_ps(); }
  void run_until(Picoseconds time) override { drive_.clock().run_until(time); }
  std::optional<std::uint32_t> exit_code() const override { return drive_.clock().exit_code(); }
  initiator::HostAdapter& host(std::size_t index) override { return hosts_.at(index); }
  bus::Phase phase() const override { return bus_.phase(); }

  const std::vector<bus::Violation>& violations() const override { return bus_.violations(); }

  const geometry::Geometry& geometry() const override { return drive_.hda().geometry(); }
  channel::Surface& surface() override { return drive_.hda().surface(); }
  bool read_ready() const override { return drive_.hda().levels().read_ready; }

 private:
  static platform::RtlOptions options(const PlatformSetup& setup) {
    using Start = channel::HeadDiskAssembly::Start;
    platform::RtlOptions options;
    options.start = setup.at_speed ? Start::kAtSpeed : Start::kAtRest;
    return options;
  }

  bus::ScsiBus bus_{"bus"};
  mutable platform::RtlDrive drive_;
  std::deque<initiator::Initiator> hosts_;
};

}  // namespace

std::uint32_t storm_seeds() { return 6; }
int moment_step() { return 4; }

std::unique_ptr<Platform> make_platform(const PlatformSetup& setup) {
  return std::make_unique<RtlPlatform>(setup);
}

}  // namespace headstack::scenario
