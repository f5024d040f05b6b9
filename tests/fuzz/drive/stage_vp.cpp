// SPDX-License-Identifier: Apache-2.0
// The fast platforms: many drives, one after the other, in one process. The firmware runs natively
// or, with HEADSTACK_ON_CORE, on the exact core.
#include <algorithm>
#include <deque>
#include <map>

#include "sim/platform/vp_drive.hpp"
#include "sim/tlm/bus/transaction_link.hpp"
#include "tests/fuzz/drive/cdb.hpp"
#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/raw_host.hpp"
#include "tests/fuzz/drive/stage.hpp"
#include "tests/vp_firmware.hpp"
#include "tests/waits/wait_graph.hpp"

namespace headstack::fuzz {
namespace {

/// A raw host on a transaction bus.
class RawInitiator : public RawHost {
 public:
  RawInitiator(tlm::TransactionBus& bus, unsigned id, bool cdb_names_unit)
      : link_(bus, id, initiator::ReactionTimes{}, *this, *this) {
    use(link_, cdb_names_unit);
  }

 private:
  tlm::TransactionLink link_;
};

class VpStage : public Stage {
 public:
  explicit VpStage(const Storyline& storyline)
      : drive_(drive_named(storyline.drive), bus_, options(storyline), nullptr),
        longest_awake_(longest_awake(storyline)) {
    blank_ = geometry().capacity() > kPreparedBlocksMax;
    if (!blank_) drive_.disk().media().restore(prepared(storyline.drive));
    inject_flaws(storyline, geometry(), &drive_.disk().media());
    for (const HostSetup& host : storyline.hosts) add(host, cdb_names_unit(storyline.drive));
  }

  Picoseconds now() const override { return agenda_.now(); }
  void run_until(Picoseconds time) override {
    // The firmware advances the agenda's time until it sleeps.
    const Picoseconds until = std::max(time, agenda_.now());
    restless_.set(until + longest_awake_);
    agenda_.run_to(until);
    restless_.cancel();
  }
  void schedule(Picoseconds time, const Act& act) override {
    act_ = act;
    acting_.set(std::max(time, agenda_.now()));
  }
  Picoseconds scheduled() const override { return acting_.is_set() ? acting_.due() : kOpen; }
  std::optional<std::uint32_t> exit_code() const override { return drive_.exit_code(); }
  Host& host(std::size_t index) override { return *hosts_[index]; }
  bus::Phase phase() const override { return bus_.phase(); }
  std::uint64_t phase_count() const override { return bus_.phase_count(); }
  std::uint64_t control_byte_count() const override { return bus_.control_byte_count(); }
  const std::vector<bus::Violation>& violations() const override { return bus_.violations(); }
  media::MediaStore& media() override { return drive_.disk().media(); }
  media::SectorIndex sector_of(std::uint32_t lba) const override {
    return geometry().sector_index(geometry().locate(lba).chs());
  }
  bool is_blank() const override { return blank_; }
  std::string find_circle() const override {
    const ::drive* state = drive_.firmware_state();
    if (state == nullptr) return "";
    return test::find_circle(
        *state, [this](std::uint32_t ring) { return drive_.buffer().sectors_in(ring); });
  }

 private:
  static platform::VpOptions options(const Storyline& storyline) {
    platform::VpOptions options;
    options.start = storyline.at_speed ? tlm::Disk::Start::kAtSpeed : tlm::Disk::Start::kAtRest;
    options.firmware = test::vp_firmware();
    return options;
  }

  void add(const HostSetup& host, bool cdb_names_unit) {
    if (host.kind == HostKind::kRaw) {
      hosts_.push_back(&raws_.emplace_back(bus_, host.id, cdb_names_unit));
      return;
    }
    initiator::Config config;
    config.id = host.id;
    config.agreement = host.agreement;
    adapters_.emplace_back(bus_, config);
    polite_.push_back(std::make_unique<PoliteHost>(adapters_.back()));
    hosts_.push_back(polite_.back().get());
  }

  const geometry::Geometry& geometry() const { return drive_.disk().geometry(); }

  /// A snapshot of this drive's media with every block written, made once.
  const media::MediaSnapshot& prepared(const std::string& drive) {
    static std::map<std::string, media::MediaSnapshot> known;
    const auto found = known.find(drive);
    if (found != known.end()) return found->second;
    media::MediaStore& media = drive_.disk().media();
    prepare_media(geometry(), capacity_of(drive).block_bytes, &media);
    return known.emplace(drive, media.snapshot()).first->second;
  }

  tlm::Agenda agenda_;
  tlm::TransactionBus bus_{agenda_};
  platform::VpDrive drive_;
  std::deque<tlm::TransactionInitiator> adapters_;
  std::deque<RawInitiator> raws_;
  std::vector<std::unique_ptr<Host>> polite_;
  std::vector<Host*> hosts_;
  tlm::Alarm restless_{agenda_, [] { throw Restless("the firmware does not come to rest"); }};
  Act act_;
  tlm::Alarm acting_{agenda_, [this] {
                       const Picoseconds next = act_();
                       if (next != kOpen) acting_.set(std::max(next, agenda_.now()));
                     }};
  Picoseconds longest_awake_ = 0;
  bool blank_ = false;
};

}  // namespace

std::unique_ptr<Stage> make_stage(const Storyline& storyline) {
  return std::make_unique<VpStage>(storyline);
}

const char* platform_name() { return test::vp_firmware() != nullptr ? "vp" : "native"; }

}  // namespace headstack::fuzz
