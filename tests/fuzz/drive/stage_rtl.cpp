// SPDX-License-Identifier: Apache-2.0
// The cycle-accurate platform: one storyline per process.
#include <algorithm>
#include <deque>

#include "sim/initiator/initiator.hpp"
#include "sim/kernel_time.hpp"
#include "sim/platform/rtl_drive.hpp"
#include "tests/fuzz/drive/cdb.hpp"
#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/raw_host.hpp"
#include "tests/fuzz/drive/stage.hpp"
#include "tests/paths.hpp"

namespace headstack::fuzz {
namespace {

/// A raw host on pins.
class RawInitiator : public sc_core::sc_module, public RawHost {
 public:
  RawInitiator(sc_core::sc_module_name name, bus::ScsiBus& bus, unsigned id, bool cdb_names_unit)
      : sc_module(name), link_("link", bus, id, times_, *this, *this) {
    use(link_, cdb_names_unit);
  }

 private:
  initiator::ReactionTimes times_;
  initiator::Link link_;
};

class RtlStage : public Stage {
 public:
  explicit RtlStage(const Storyline& storyline)
      : drive_("drive", drive_named(storyline.drive), soc::ElfImage::read(test::drive_elf()), bus_,
               options(storyline), nullptr) {
    blank_ = geometry().capacity() > kPreparedBlocksMax;
    if (!blank_) prepare_media(geometry(), capacity_of(storyline.drive).block_bytes, &media());
    inject_flaws(storyline, geometry(), &media());
    for (const HostSetup& host : storyline.hosts) add(host, cdb_names_unit(storyline.drive));
  }

  Picoseconds now() const override { return now_ps(); }
  void run_until(Picoseconds time) override {
    while (due_ <= time) {
      drive_.clock().run_until(std::max(due_, now()));
      const Picoseconds next = act_();
      due_ = next == kOpen ? kOpen : std::max(next, now());
    }
    drive_.clock().run_until(std::max(time, now()));
  }
  void schedule(Picoseconds time, const Act& act) override {
    act_ = act;
    due_ = std::max(time, now());
  }
  Picoseconds scheduled() const override { return due_; }
  std::optional<std::uint32_t> exit_code() const override { return drive_.clock().exit_code(); }
  Host& host(std::size_t index) override { return *hosts_[index]; }
  bus::Phase phase() const override { return bus_.phase(); }
  /// Phases are not counted here: an endless storyline is stopped by its time.
  std::uint64_t phase_count() const override { return 0; }
  std::uint64_t control_byte_count() const override { return 0; }
  const std::vector<bus::Violation>& violations() const override { return bus_.violations(); }
  media::MediaStore& media() override { return drive_.hda().surface().media(); }
  media::SectorIndex sector_of(std::uint32_t lba) const override {
    return geometry().sector_index(geometry().locate(lba).chs());
  }
  bool is_blank() const override { return blank_; }

 private:
  static platform::RtlOptions options(const Storyline& storyline) {
    using Start = channel::HeadDiskAssembly::Start;
    platform::RtlOptions options;
    options.start = storyline.at_speed ? Start::kAtSpeed : Start::kAtRest;
    return options;
  }

  const geometry::Geometry& geometry() const { return drive_.hda().geometry(); }

  void add(const HostSetup& host, bool cdb_names_unit) {
    const std::string name = "host" + std::to_string(hosts_.size());
    if (host.kind == HostKind::kRaw) {
      hosts_.push_back(&raws_.emplace_back(name.c_str(), bus_, host.id, cdb_names_unit));
      return;
    }
    initiator::Config config;
    config.id = host.id;
    config.agreement = host.agreement;
    adapters_.emplace_back(name.c_str(), bus_, config);
    polite_.push_back(std::make_unique<PoliteHost>(adapters_.back()));
    hosts_.push_back(polite_.back().get());
  }

  bus::ScsiBus bus_{"bus"};
  mutable platform::RtlDrive drive_;
  std::deque<initiator::Initiator> adapters_;
  std::deque<RawInitiator> raws_;
  std::vector<std::unique_ptr<Host>> polite_;
  std::vector<Host*> hosts_;
  Act act_;
  Picoseconds due_ = kOpen;
  bool blank_ = false;
};

}  // namespace

std::unique_ptr<Stage> make_stage(const Storyline& storyline) {
  return std::make_unique<RtlStage>(storyline);
}

const char* platform_name() { return "rtl"; }

}  // namespace headstack::fuzz
