// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/generate.hpp"
#include "tests/firmware/controller_page.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include "firmware/kernel/time.h"
#include "sim/drive/firmware_design.hpp"
#include "tests/fuzz/drive/actions.hpp"
#include "tests/fuzz/drive/cdb.hpp"
#include "tests/fuzz/drive/choices.hpp"
#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/map_actions.hpp"
#include "tests/fuzz/drive/stage.hpp"

namespace headstack::fuzz {
namespace {

using bus::Phase;
using initiator::TagType;

constexpr Picoseconds kNanosecond = 1'000;
constexpr std::uint8_t kOpFormat = 0x04;
/// Kinds of actions. A storyline has some of them.
enum class Kind : std::uint8_t {
  kRead,
  kWrite,
  kVerify,
  kSynchronize,
  kStartStop,
  kTestUnitReady,
  kRequestSense,
  kInformation,
  kCaching,
  kControl,
  kRecovery,
  kPolicy,
  kController,
  kReservation,
  kRepair,
  kChangedCdb,
  kWildCdb,
  kAbort,
  kAbortTag,
  kClearQueue,
  kDeviceReset,
  kBusReset,
  kAwait,
  kDeaf,
  kLimits,
  kMoves,
  kDefects,
  kCount,
};

struct KindRow {
  Kind kind;
  std::uint8_t weight;
  bool always;  // whether it is in every storyline
};

constexpr KindRow kKinds[] = {
    {Kind::kRead, 60, true},         {Kind::kWrite, 60, true},
    {Kind::kVerify, 6, false},       {Kind::kSynchronize, 10, false},
    {Kind::kStartStop, 5, false},    {Kind::kTestUnitReady, 8, false},
    {Kind::kRequestSense, 6, false}, {Kind::kInformation, 6, false},
    {Kind::kCaching, 10, false},     {Kind::kControl, 6, false},
    {Kind::kRecovery, 3, false},     {Kind::kPolicy, 4, false},
    {Kind::kController, 3, false},   {Kind::kReservation, 4, false},
    {Kind::kRepair, 4, false},       {Kind::kChangedCdb, 6, false},
    {Kind::kWildCdb, 4, false},      {Kind::kAbort, 8, false},
    {Kind::kAbortTag, 12, false},    {Kind::kClearQueue, 5, false},
    {Kind::kDeviceReset, 5, false},  {Kind::kBusReset, 4, false},
    {Kind::kAwait, 25, true},        {Kind::kDeaf, 5, false},
    {Kind::kLimits, 10, false},      {Kind::kMoves, 8, false},
    {Kind::kDefects, 8, false},
};

/// How one host tags its commands.
enum class Tagging : std::uint8_t { kSimple, kAnyType, kUntagged, kMixed };

/// Decisions of the setup for all actions.
struct Style {
  std::array<std::uint32_t, static_cast<std::size_t>(Kind::kCount)> weight{};
  std::uint32_t total_weight = 0;
  std::array<Tagging, kHostsMax> tagging{};
  std::uint32_t tags = 8;
  std::uint32_t gap_scale = 0;  // 0: short ones; 3: long ones
  std::uint32_t first = 0;      // first of the blocks that most commands are about
  std::uint32_t span = 64;
  std::uint32_t longest = 16;  // blocks of most commands
  bool no_disconnection = false;
  bool sloppy = false;  // parity errors, odd messages
  bool urgent = false;  // many commands have an urgency message
  bool other_units = false;
  bool no_sense = false;
  bool loses_writes = false;
  bool holds = false;                    // mode page 02h mostly has DTDC
  bool wordy = false;                    // extended messages of all lengths
  std::array<bool, kHostsMax> scsi_1{};  // raw hosts that use no messages
};

class Generator {
 public:
  Generator(const std::uint8_t* bytes, std::size_t count, Theme theme)
      : bytes_(bytes),
        count_(count),
        limits_(theme == Theme::kLimits),
        further_(bytes, std::min(count, kSetupBytes)),
        choose_(bytes, std::min(count, kSetupBytes)) {}

  Storyline make() {
    if (limits_) {
      set_up_limits();
      open_limits();
    } else {
      set_up();
      open();
    }
    for (std::size_t at = kSetupBytes; at < count_; at += kActionBytes) {
      if (!limits_ && story_.actions.size() >= kActionsMax) break;
      choose_ = Choices(bytes_ + at, std::min(kActionBytes, count_ - at));
      add_action();
    }
    if (limits_) read_back();
    return std::move(story_);
  }

 private:
  // ---- the setup

  void set_up() {
    const std::vector<std::string>& drives = drive_names();
    // Shipped drives are large: one storyline of sixteen has one.
    const std::uint32_t pick = choose_.byte();
    // One of eight has the drive with room for maps.
    story_.drive = pick >= 240 ? drives[5 + pick % 3] : pick >= 208 ? "mapped" : drives[pick % 5];
    capacity_ = capacity_of(story_.drive);
    story_.at_speed = !choose_.chance(20);
    set_up_hosts();
    set_up_kinds();
    set_up_places();
    style_.gap_scale = choose_.below(4);
    style_.no_disconnection = choose_.chance(80);
    style_.sloppy = choose_.chance(64);
    style_.other_units = choose_.chance(64);
    style_.no_sense = choose_.chance(40);
    style_.urgent = choose_.chance(64);
    if (choose_.chance(48)) set_up_flaws();
    choose_ = further_.next();
    maps_ = MapActions(capacity_, style_.first, style_.span);
    if (has(Kind::kDefects) && story_.flaws.empty() && choose_.chance(170)) set_up_flaws();
    choose_ = further_.next();
    style_.holds = choose_.chance(80);
    style_.wordy = choose_.chance(40);
    if (choose_.chance(64)) add_more_hosts();
  }

  /// Adds hosts, up to seven in all.
  void add_more_hosts() {
    const std::size_t hosts = std::min<std::size_t>(kHostsMax, 3 + choose_.below(5));
    const bool is_wide = drive_named(story_.drive).design.bus.width_bits == 16;
    for (std::uint8_t id = is_wide ? 14 : 7; story_.hosts.size() < hosts; --id) {
      const bool is_there = std::any_of(story_.hosts.begin(), story_.hosts.end(),
                                        [id](const HostSetup& host) { return host.id == id; });
      if (is_there) continue;
      HostSetup host;
      host.id = id;
      host.agreement = kAgreements[choose_.below(3)];
      host.kind = choose_.chance(60) ? HostKind::kRaw : HostKind::kAdapter;
      style_.tagging[story_.hosts.size()] = static_cast<Tagging>(choose_.below(4));
      story_.hosts.push_back(host);
    }
  }

  bool has(Kind kind) const { return style_.weight[static_cast<std::size_t>(kind)] != 0; }

  void set_up_hosts() {
    static constexpr std::uint8_t kIds[] = {7, 6, 5, 15, 1};
    story_.hosts.clear();
    const std::uint32_t hosts = 1 + choose_.below(4) % 3;
    const std::uint32_t first_id = choose_.below(3);
    for (std::uint32_t i = 0; i < hosts; ++i) {
      HostSetup host;
      host.id = kIds[first_id + i];
      host.agreement = kAgreements[choose_.below(3)];
      host.kind = choose_.chance(100) ? HostKind::kRaw : HostKind::kAdapter;
      story_.hosts.push_back(host);
      style_.tagging[i] = static_cast<Tagging>(choose_.below(4));
      style_.scsi_1[i] = choose_.chance(64);
    }
    static constexpr std::uint32_t kTags[] = {8, 2, 32, 200};
    style_.tags = kTags[choose_.below(4)];
  }

  void set_up_kinds() {
    std::uint32_t mask = choose_.word() << 16U;
    mask |= choose_.word();
    // Half of the storylines have few kinds, so that they are deep in those.
    if (choose_.chance(128)) mask &= choose_.word() | choose_.word() << 16U;
    for (const KindRow& row : kKinds) {
      const auto index = static_cast<std::size_t>(row.kind);
      if (!row.always && (mask >> index & 1U) == 0) continue;
      style_.weight[index] = row.weight;
      style_.total_weight += row.weight;
    }
  }

  void set_up_places() {
    static constexpr std::uint32_t kSpans[] = {24, 8, 64, 400};
    static constexpr std::uint32_t kLongest[] = {8, 4, 24, 80};
    style_.span = kSpans[choose_.below(4)];
    style_.longest = kLongest[choose_.below(4)];
    const std::uint32_t place = choose_.word();
    const std::uint32_t room = capacity_.blocks - std::min(capacity_.blocks, style_.span);
    style_.first = static_cast<std::uint32_t>(std::uint64_t{room} * place / 65536);
  }

  void set_up_flaws() {
    // If writes may be lost, writes are cached and overlap: the faults need both.
    style_.loses_writes = choose_.chance(100);
    if (style_.loses_writes) style_.span = std::min(style_.span, 24U);
    const std::uint32_t flaws = 1 + choose_.below(3);
    for (std::uint32_t i = 0; i < flaws; ++i) {
      FlawSetup flaw;
      flaw.lba = style_.first + choose_.below(style_.span);
      if (flaw.lba >= capacity_.blocks || has_flaw(story_, flaw.lba)) continue;
      static constexpr media::FlawKind kFlaws[] = {
          media::FlawKind::kCorrectable, media::FlawKind::kUnreadable, media::FlawKind::kWeakWrite,
          media::FlawKind::kCorrectable, media::FlawKind::kWriteFault};
      flaw.kind = style_.loses_writes ? media::FlawKind::kWriteFault : kFlaws[choose_.below(5)];
      const bool may_be_for_ever =
          flaw.kind == media::FlawKind::kWriteFault || flaw.kind == media::FlawKind::kWeakWrite;
      const bool is_for_ever =
          flaw.kind == media::FlawKind::kUnreadable || (may_be_for_ever && choose_.chance(128));
      if (!is_for_ever) flaw.retries = 1 + choose_.below(10);
      story_.flaws.push_back(flaw);
    }
  }

  /// Most storylines begin like real hosts: they clear the power-on attentions, then set the modes.
  void open() {
    const bool plain = !choose_.chance(40);
    for (std::uint8_t host = 0; plain && host < story_.hosts.size(); ++host) push_ready(host);
    const std::uint32_t cache = style_.loses_writes ? 2 : choose_.below(4);
    if (cache != 0) push_alone(0, make_select(caching_page(cache >= 2, true)));
    if (cache >= 2 && choose_.chance(128)) push_alone(0, make_select(write_buffer_page()));
    if (choose_.chance(64)) push_alone(0, make_select(control_page()));
    if (choose_.chance(style_.holds ? 200 : 48)) push_alone(0, make_select(disconnect_page()));
    choose_ = further_.next();
    if (has(Kind::kDefects)) push_alone(0, make_select(defects_page()));
    if (!has(Kind::kMoves)) return;
    push_alone(0, make_select(maps_.begin(choose_)));
    for (Action& part : maps_.stage(choose_)) push_alone(0, std::move(part));
    push_alone(0, make_select(maps_.change(choose_)));
  }

  // ---- a storyline about limits

  void set_up_limits() {
    story_.drive = drive_names()[choose_.below(5)];
    capacity_ = capacity_of(story_.drive);
    set_up_hosts();
    for (HostSetup& host : story_.hosts) host.kind = HostKind::kAdapter;
    style_.tagging.fill(choose_.chance(40) ? Tagging::kAnyType : Tagging::kSimple);
    static constexpr KindRow kLimitKinds[] = {
        {Kind::kRead, 60, true},         {Kind::kWrite, 60, true},
        {Kind::kSynchronize, 2, false},  {Kind::kTestUnitReady, 1, false},
        {Kind::kRequestSense, 3, false}, {Kind::kLimits, 2, true},
    };
    const std::uint32_t mask = choose_.byte();
    for (std::size_t i = 0; i < std::size(kLimitKinds); ++i) {
      const KindRow& row = kLimitKinds[i];
      if (!row.always && (mask >> i & 1U) == 0) continue;
      style_.weight[static_cast<std::size_t>(row.kind)] = row.weight;
      style_.total_weight += row.weight;
    }
    set_up_places();
    style_.gap_scale = choose_.below(3);
    if (!choose_.chance(64)) return;
    for (std::uint32_t i = 0; i < 2; ++i) {
      FlawSetup flaw;
      flaw.kind = media::FlawKind::kCorrectable;
      flaw.lba = style_.first + choose_.below(style_.span / 2) + i * style_.span / 2;
      flaw.retries = 1 + choose_.below(6);
      story_.flaws.push_back(flaw);
    }
  }

  /// Sets the modes, then limits for each host. Its other commands wait for that.
  void open_limits() {
    const auto hosts = static_cast<std::uint8_t>(story_.hosts.size());
    // The rest of the setup's bytes would not suffice for the pages of several hosts.
    std::mt19937_64 random(choose_.word());
    Bytes bytes(64);
    const auto choose_anew = [&] {
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
      choose_ = Choices(bytes.data(), bytes.size());
    };
    for (std::uint8_t host = 0; host < hosts; ++host) push_ready(host);
    choose_anew();
    const std::uint32_t cache = choose_.below(4);
    Bytes caching = caching_page((cache & 2U) != 0, true);
    caching[2] = static_cast<std::uint8_t>((caching[2] & 0xFEU) | (cache & 1U));  // RCD
    push_select(0, caching);
    if (choose_.chance(64)) push_select(0, write_buffer_page());
    if (choose_.chance(64)) {
      Bytes control = control_page();
      control[3] &= 0xF0U;  // QERR 0h: a limit ends its own command alone
      push_select(0, control);
    }
    if (choose_.chance(128)) {
      Bytes policy(24);
      policy[0] = 0x20;
      policy[1] = 22;
      policy[2] = static_cast<std::uint8_t>(choose_.below(kPolicyCount));
      push_select(0, policy);
    }
    for (std::uint8_t host = 0; host < hosts; ++host) {
      push_ready(host);
      for (const bool writes : {false, true}) {
        choose_anew();
        push_select(host, duration_page(&choose_, writes, limits_));
      }
    }
  }

  /// Reads the final blocks of the drive for the hosts, limits or not.
  void read_back() {
    for (std::uint8_t host = 0; host < story_.hosts.size(); ++host) push_await(host, 0);
    constexpr std::uint32_t kAtOnce = 32;
    const std::uint32_t end = std::min(capacity_.blocks, style_.first + style_.span + 80);
    for (std::uint32_t lba = style_.first; lba < end; lba += kAtOnce) {
      push_alone(0, with_list(ranged_cdb(0x28, lba, std::min(kAtOnce, end - lba)), {}));
    }
  }

  /// Pushes commands until the attentions of power-on, or of others' modes, are gone.
  void push_ready(std::uint8_t host) {
    for (int i = 0; i < 2; ++i) push_alone(host, with_list({0, 0, 0, 0, 0, 0}, {}));
  }

  void push_select(std::uint8_t host, const Bytes& page) { push_alone(host, select_page(page)); }

  /// Pushes an action after which the host sends nothing more before the end.
  void push_alone(std::uint8_t host, Action action) {
    action.host = host;
    story_.actions.push_back(std::move(action));
    push_await(host, 0);
  }

  void push_await(std::uint8_t host, std::uint32_t count) {
    story_.actions.push_back(await(host, count));
  }

  // ---- an action

  Kind choose_kind() {
    std::uint32_t at = choose_.word() % style_.total_weight;
    for (const KindRow& row : kKinds) {
      const std::uint32_t weight = style_.weight[static_cast<std::size_t>(row.kind)];
      if (at < weight) return row.kind;
      at -= weight;
    }
    return Kind::kRead;
  }

  /// Gaps of all scales: a nanosecond of the bus, an instruction, a phase, a sector, a revolution.
  Picoseconds choose_gap() {
    static constexpr std::uint32_t kScales[4][8] = {
        {0, 0, 0, 2, 2, 3, 3, 4},  // powers of ten of nanoseconds
        {0, 0, 2, 3, 4, 4, 5, 6},
        {0, 3, 4, 5, 5, 6, 6, 7},
        {2, 4, 6, 6, 7, 7, 7, 8},
    };
    const std::uint32_t power = kScales[style_.gap_scale][choose_.below(8)];
    Picoseconds unit = kNanosecond;
    for (std::uint32_t i = 0; i < power; ++i) unit *= 10;
    const std::uint32_t count = choose_.byte();
    return power == 0 ? 0 : unit * (1 + count % 32) / 4;
  }

  void add_action() {
    const Kind kind = choose_kind();
    const Picoseconds gap = choose_gap();
    const auto host =
        static_cast<std::uint8_t>(choose_.below(static_cast<std::uint32_t>(story_.hosts.size())));
    if (kind == Kind::kMoves && choose_.chance(64)) return add_map(gap, host);
    Action action = make(kind, host);
    action.gap = gap / kNanosecond * kNanosecond;
    action.host = host;
    if (action.kind == ActionKind::kCommand) dress(&action);
    if (limits_) {
      push_await(host, kLimitsDepth / static_cast<std::uint32_t>(story_.hosts.size()) - 1);
    }
    story_.actions.push_back(std::move(action));
  }

  /// Adds a map, in as many commands as it takes.
  void add_map(Picoseconds gap, std::uint8_t host) {
    for (Action& part : maps_.stage(choose_)) {
      part.gap = gap / kNanosecond * kNanosecond;
      part.host = host;
      dress(&part);
      story_.actions.push_back(std::move(part));
    }
  }

  Action make(Kind kind, std::uint8_t host) {
    Action action;
    switch (kind) {
      case Kind::kRead: action.cdb = transfer_cdb(false); break;
      case Kind::kWrite: action.cdb = transfer_cdb(true); break;
      case Kind::kVerify: action.cdb = passage_cdb(); break;
      case Kind::kSynchronize: action.cdb = synchronize_cdb(); break;
      case Kind::kStartStop: action.cdb = start_stop_cdb(); break;
      case Kind::kTestUnitReady: action.cdb = {0, 0, 0, 0, 0, 0}; break;
      case Kind::kRequestSense: action.cdb = {0x03, 0, 0, 0, 18, 0}; break;
      case Kind::kInformation: action.cdb = information_cdb(); break;
      case Kind::kCaching: return make_select(caching_page(choose_.chance(160), false));
      case Kind::kControl: return make_select(control_page());
      case Kind::kRecovery: return make_select(recovery_page());
      case Kind::kPolicy:
        if (choose_.chance(40)) return make_select(background_page());
        return make_select(choose_.chance(80) ? write_buffer_page() : policy_page());
      case Kind::kController:
        return make_select(choose_.chance(128) ? controller_page() : disconnect_page());
      case Kind::kLimits: return make_select(limits_page());
      case Kind::kMoves: return make_move();
      case Kind::kDefects: return make_defects();
      case Kind::kReservation: action.cdb = reservation_cdb(); break;
      case Kind::kRepair: return make_repair();
      case Kind::kChangedCdb: action.cdb = changed_cdb(); break;
      case Kind::kWildCdb: action.cdb = wild_cdb(); break;
      case Kind::kAbort: action.kind = ActionKind::kAbort; break;
      case Kind::kAbortTag: action.kind = ActionKind::kAbortTag; break;
      case Kind::kClearQueue: action.kind = ActionKind::kClearQueue; break;
      case Kind::kDeviceReset: action.kind = ActionKind::kDeviceReset; break;
      case Kind::kBusReset: action.kind = ActionKind::kBusReset; break;
      case Kind::kAwait:
        action.kind = ActionKind::kAwait;
        action.count = choose_.below(8);
        break;
      case Kind::kDeaf:
        action.kind = ActionKind::kDeaf;
        action.count = choose_.below(2);
        break;
      case Kind::kCount: break;
    }
    if (action.kind == ActionKind::kAbortTag) {
      action.tag = static_cast<std::uint16_t>(choose_.below(style_.tags));
    }
    const bool addressed = action.kind != ActionKind::kAwait && action.kind != ActionKind::kDeaf &&
                           action.kind != ActionKind::kBusReset;
    if (addressed && style_.other_units && choose_.chance(24)) {
      action.lun = static_cast<std::uint8_t>(1 + choose_.below(7));
    }
    (void)host;
    return action;
  }

  // ---- CDBs

  std::uint32_t choose_blocks() {
    if (choose_.chance(20)) return choose_.below(257);
    return 1 + choose_.below(style_.longest);
  }

  /// Mostly blocks close to each other, so that commands overlap; seldom any block, or one near the
  /// end.
  std::uint32_t choose_lba(std::uint32_t blocks) {
    const std::uint32_t where = choose_.byte();
    if (where >= 250) return capacity_.blocks - std::min(capacity_.blocks, choose_.below(12));
    const std::uint32_t lba =
        where >= 236
            ? static_cast<std::uint32_t>(std::uint64_t{capacity_.blocks} * choose_.word() / 65536)
            : style_.first + choose_.below(style_.span);
    return std::min(lba, capacity_.blocks - std::min(blocks, capacity_.blocks));
  }

  Bytes choose_range(std::uint8_t opcode) {
    const std::uint32_t blocks = choose_blocks();
    const std::uint32_t lba = choose_lba(blocks);
    return ranged_cdb(opcode, lba, blocks);
  }

  Bytes transfer_cdb(bool write) {
    const std::uint32_t form = limits_ ? 1 : choose_.below(8);
    if (form == 0) {
      const std::uint32_t blocks = std::max(1U, choose_blocks());
      const std::uint32_t lba = choose_lba(blocks);
      Bytes cdb(6);
      cdb[0] = write ? 0x0A : 0x08;
      put(&cdb, 1, 3, lba & 0x1FFFFF);
      cdb[4] = static_cast<std::uint8_t>(blocks);  // 256 is sent as 0
      return cdb;
    }
    Bytes cdb = choose_range(write ? 0x2A : 0x28);
    const bool has_limits = style_.weight[static_cast<std::size_t>(Kind::kLimits)] != 0;
    if (form == 1 || (has_limits && form < 6)) {
      Bytes long_cdb(16);
      long_cdb[0] = write ? 0x8A : 0x88;
      std::copy(cdb.begin() + 2, cdb.begin() + 6, long_cdb.begin() + 6);
      std::copy(cdb.begin() + 7, cdb.begin() + 9, long_cdb.begin() + 12);
      cdb = long_cdb;
      const std::uint32_t number = has_limits ? choose_.below(8) : 0;
      cdb[1] = static_cast<std::uint8_t>(number >> 2U);
      cdb[14] = static_cast<std::uint8_t>((number & 3U) << 6U);
    }
    if (form == 7) cdb = with_12_bytes(cdb);
    const std::uint32_t bits = choose_.byte();
    if (bits >= 224) cdb[1] |= 0x08;
    if (bits % 16 == 15) cdb[1] |= 0x10;
    if (write && form == 6 && cdb[0] == 0x2A) {
      cdb[0] = 0x2E;  // WRITE AND VERIFY, which has no FUA
      cdb[1] &= 0x10U;
    }
    return cdb;
  }

  /// READ(12) or WRITE(12) of the same blocks.
  static Bytes with_12_bytes(const Bytes& cdb) {
    Bytes long_cdb(12);
    long_cdb[0] = static_cast<std::uint8_t>(cdb[0] + 0x80);
    std::copy(cdb.begin() + 2, cdb.begin() + 6, long_cdb.begin() + 2);
    std::copy(cdb.begin() + 7, cdb.begin() + 9, long_cdb.begin() + 8);
    return long_cdb;
  }

  /// A command that moves the arm and no data: VERIFY, SEEK, REZERO UNIT.
  Bytes passage_cdb() {
    const std::uint32_t what = choose_.below(8);
    if (what == 0) return {0x01, 0, 0, 0, 0, 0};
    if (what > 3) return choose_range(0x2F);
    const std::uint32_t lba = choose_lba(1);
    if (what == 1) {
      Bytes cdb = {0x0B, 0, 0, 0, 0, 0};
      put(&cdb, 1, 3, lba & 0x1FFFFF);
      return cdb;
    }
    return ranged_cdb(0x2B, lba, 0);
  }

  Bytes reservation_cdb() {
    const bool reserves = choose_.chance(128);
    if (choose_.chance(160)) {
      return {static_cast<std::uint8_t>(reserves ? 0x16 : 0x17), 0, 0, 0, 0, 0};
    }
    return ranged_cdb(reserves ? 0x56 : 0x57, 0, 0);
  }

  Bytes synchronize_cdb() {
    Bytes cdb = choose_range(0x35);
    if (choose_.chance(128)) cdb = {0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (choose_.chance(64)) cdb[1] |= 0x02;
    return cdb;
  }

  Bytes start_stop_cdb() {
    const std::uint32_t what = choose_.below(8);
    // More starts than stops: a drive that stands still answers little.
    return {0x1B, static_cast<std::uint8_t>(what & 1U),        0,
            0,    static_cast<std::uint8_t>(what < 5 ? 1 : 0), 0};
  }

  Bytes information_cdb() {
    const std::uint8_t allocation = choose_.chance(64) ? choose_.byte() : 255;
    switch (choose_.below(9)) {
      case 8:
        return {0xA3,
                0x0C,
                static_cast<std::uint8_t>(choose_.byte() & 0x83U),
                choose_.byte(),
                0,
                0,
                0,
                0,
                2,
                allocation,
                0,
                0};
      case 0:
      case 1: return {0x12, 0, 0, 0, allocation, 0};
      case 2:
        return {0x12, 1,          static_cast<std::uint8_t>(choose_.chance(128) ? 0x80 : 0x83),
                0,    allocation, 0};
      case 3: {
        const std::uint32_t what = choose_.below(4);
        if (what == 3) {
          return {0x1E, 0, 0, 0, static_cast<std::uint8_t>(choose_.below(2)), 0};
        }
        Bytes cdb = ranged_cdb(0x25, what == 2 ? choose_lba(1) : 0, 0);
        if (what == 2) cdb[8] = 0x01;  // PMI
        return cdb;
      }
      case 4: return {0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, allocation, 0, 0};
      case 5: return {0xA0, 0, 0, 0, 0, 0, 0, 0, 0, allocation, 0, 0};
      case 6:
        return {0x1A, 0x08,       static_cast<std::uint8_t>(0x3F | choose_.byte() << 6U),
                0,    allocation, 0};
      default:
        return {0x5A,
                0,
                static_cast<std::uint8_t>(choose_.chance(200) ? 0x3F : 0x08),
                static_cast<std::uint8_t>(choose_.chance(80) ? 0xFF : 0),
                0,
                0,
                0,
                static_cast<std::uint8_t>(choose_.below(4)),
                allocation,
                0};
    }
  }

  Bytes changed_cdb() {
    Bytes cdb;
    switch (choose_.below(4)) {
      case 0: cdb = transfer_cdb(false); break;
      case 1: cdb = transfer_cdb(true); break;
      case 2: cdb = choose_range(0x35); break;
      default: cdb = information_cdb();
    }
    cdb[1 + choose_.below(static_cast<std::uint32_t>(cdb.size()) - 1)] ^=
        static_cast<std::uint8_t>(1U << choose_.below(8));
    return cdb;
  }

  Bytes wild_cdb() {
    const std::uint8_t opcode = choose_.byte();
    Bytes cdb(cdb_bytes(opcode));
    cdb[0] = opcode;
    for (std::size_t i = 1; i < cdb.size(); ++i) cdb[i] = choose_.byte();
    return cdb;
  }

  // ---- parameter lists

  static Action with_list(Bytes cdb, Bytes list) {
    Action action;
    action.cdb = std::move(cdb);
    action.list = std::move(list);
    return action;
  }

  /// MODE SELECT of a page after a header without block descriptors.
  Action make_select(const Bytes& wanted) {
    const bool save = choose_.chance(40);
    const bool as_page = !choose_.chance(12);  // PF
    const auto flags = static_cast<std::uint8_t>((as_page ? 0x10 : 0) | (save ? 1 : 0));
    Bytes page = wanted;
    if (choose_.chance(12)) page[0] |= 0x80;  // PS, as MODE SENSE gave it
    if (choose_.chance(64)) {
      Action select = select_page(page);
      select.cdb[1] = flags;
      return select;
    }
    Bytes list(4);
    list.insert(list.end(), page.begin(), page.end());
    return with_list({0x15, flags, 0, 0, static_cast<std::uint8_t>(list.size()), 0}, list);
  }

  std::uint32_t buffer_blocks() const {
    return drive_named(story_.drive).design.buffer_bytes / capacity_.block_bytes;
  }

  /// The caching page (SBC-2 6.3.3). Bytes that cannot change are as at power-on.
  Bytes caching_page(bool writes, bool reads) {
    Bytes page(20);
    page[0] = 0x08;
    page[1] = 18;
    page[2] =
        static_cast<std::uint8_t>((writes ? 0x04 : 0) | (reads || choose_.chance(170) ? 0 : 0x01));
    put(&page, 4, 2, choose_.chance(40) ? choose_.below(16) : 0xFFFF);
    put(&page, 8, 2, choose_.chance(80) ? choose_.below(40) : 0xFFFF);
    put(&page, 10, 2, 0xFFFF);
    page[12] = choose_.chance(24) ? 0x20 : 0;
    static constexpr std::uint8_t kSegments[] = {3, 1, 2, 8, 16, 4, 3, 0};
    page[13] = kSegments[choose_.below(8)];
    const std::uint32_t share = buffer_blocks() / (1 + choose_.below(10));
    put(&page, 14, 2, choose_.chance(60) ? 1 + choose_.below(80) : std::min(share, 0xFFFFU));
    return page;
  }

  Bytes control_page() {
    Bytes page(12);
    page[0] = 0x0A;
    page[1] = 10;
    static constexpr std::uint8_t kQueueErrors[] = {0, 0, 1, 3};
    page[3] = static_cast<std::uint8_t>((choose_.chance(128) ? 0x10 : 0) |
                                        kQueueErrors[choose_.below(4)] << 1U);
    if (choose_.chance(8)) page[3] = choose_.byte();
    return page;
  }

  Bytes recovery_page() {
    Bytes page(12);
    page[0] = choose_.chance(64) ? 0x07 : 0x01;
    page[1] = 10;
    page[3] = static_cast<std::uint8_t>(choose_.below(20));
    if (page[0] == 0x01) {
      page[8] = static_cast<std::uint8_t>(choose_.below(20));
      // AWRE, ARRE, and the other bits of byte 2.
      if (choose_.chance(128)) page[2] = static_cast<std::uint8_t>(choose_.byte() & 0xC0U);
      if (choose_.chance(16)) page[2] = choose_.byte();
    }
    return page;
  }

  /// Page 01h with AWRE and ARRE most often, so that the drive moves blocks by itself.
  Bytes defects_page() {
    Bytes page = recovery_page();
    if (page[0] == 0x01 && choose_.chance(170)) page[2] |= 0xC0;
    return page;
  }

  /// REASSIGN BLOCKS for blocks that fail, or for any blocks.
  Action make_defects() {
    if (choose_.chance(80)) return make_select(defects_page());
    Bytes list = defect_list(0, choose_.chance(200) ? 1 : 4);
    const auto flaws = static_cast<std::uint32_t>(story_.flaws.size());
    if (flaws != 0 && choose_.chance(128)) {
      put(&list, 4, 4, story_.flaws[choose_.below(flaws)].lba);
    }
    return with_list({0x07, 0, 0, 0, 0, 0}, std::move(list));
  }

  /// Page 23h, the page of streams, or a query about the drive's maps.
  Action make_move() {
    const std::uint32_t what = choose_.below(8);
    if (what == 0) return select_page(streams_page(choose_));
    if (what < 3) return maps_.ask(choose_);
    return make_select(maps_.change(choose_));
  }

  /// The vendor's page 20h: any policy, with parameters of any size.
  Bytes policy_page() {
    Bytes page(24);
    page[0] = 0x20;
    page[1] = 22;
    page[2] = static_cast<std::uint8_t>(choose_.below(kPolicyCount));
    if (choose_.chance(64)) page[3] = static_cast<std::uint8_t>(choose_.below(16));
    put(&page, 4, 2, choose_.chance(64) ? choose_.word() : 50);
    for (std::size_t i = 8; i < 24; i += 4) {
      if (choose_.chance(64))
        put(&page, i, 4, choose_.chance(128) ? choose_.below(256) : choose_.below(2000));
    }
    if (choose_.chance(16)) page[2] = choose_.byte();
    return page;
  }

  /// The vendor's page 21h, in units of 100 ns.
  Bytes controller_page() {
    Bytes page = test::controller_page();
    for (std::size_t i = 2; i < 18; i += 2) {
      if (choose_.chance(96)) put(&page, i, 2, choose_.below(256) << choose_.below(5));
    }
    page[18] = choose_.byte();                            // all its bits (mode_page.h)
    page[19] = choose_.chance(128) ? choose_.byte() : 0;  // a write's share
    for (std::size_t i = 20; i < 34; i += 2) {
      if (choose_.chance(64)) put(&page, i, 2, choose_.below(256) << choose_.below(5));
    }
    page[MODE_CONTROLLER_AT_MORE] = choose_.chance(96) ? MODE_CONTROLLER_READS_FREE : 0;
    return page;
  }

  /// Page 02h: any buffer full ratio, often limits of the bus, seldom a byte that cannot change.
  /// The disconnect time is so short that every command ends while its host has patience.
  Bytes disconnect_page() {
    Bytes page(16);
    page[0] = 0x02;
    page[1] = 14;
    constexpr std::uint8_t kRatios[] = {0, 1, 0x40, 0x80, 0xC0, 0xFE, 0xFF, 0xFF};
    page[2] = kRatios[choose_.below(8)];
    const std::uint32_t which = choose_.byte();
    if ((which & 0x01U) != 0) page[3] = choose_.byte();
    if ((which & 0x02U) != 0) put(&page, 4, 2, 1 + choose_.below(20));
    if ((which & 0x04U) != 0) put(&page, 6, 2, 1 + choose_.below(12));
    if ((which & 0x08U) != 0) put(&page, 8, 2, 1 + choose_.below(40));
    if ((which & 0x10U) != 0) put(&page, 10, 2, 1 + choose_.below(32));
    std::uint32_t control = (which & 0x20U) != 0 ? 0x08 : 0;  // DImm
    if ((which & 0xC0U) == 0xC0U || (style_.holds && (which & 0xC0U) != 0)) {
      control |= choose_.chance(128) ? 1U : 3U;  // DTDC
      put(&page, 10, 2, 0);
    }
    page[12] = static_cast<std::uint8_t>(control);
    if (choose_.chance(16)) {
      const std::size_t at = 2 + choose_.below(14);
      if (at != 6 && at != 7) page[at] = choose_.byte();
    }
    return page;
  }

  /// The vendor's page 22h: any threshold, seldom an invalid one.
  Bytes write_buffer_page() {
    Bytes page(12);
    page[0] = 0x22;
    page[1] = 10;
    page[2] = static_cast<std::uint8_t>(choose_.below(4));
    const bool is_time = page[2] == 2;
    if (page[2] == 1 || page[2] == 3) page[3] = static_cast<std::uint8_t>(1 + choose_.below(5));
    if (is_time && choose_.chance(128)) put(&page, 4, 4, choose_.below(2'000'000));
    if (is_time && choose_.chance(64)) put(&page, 8, 2, choose_.below(4000));
    if (choose_.chance(16)) page[2 + choose_.below(10)] = choose_.byte();
    return page;
  }

  /// Background control (SBC-3, page 1Ch/01h): a scan that goes on soon after each command.
  Bytes background_page() {
    Bytes page(16);
    page[0] = 0x5C;
    page[1] = 0x01;
    page[3] = 12;
    page[4] = static_cast<std::uint8_t>(choose_.chance(200) ? 0x01 | (choose_.byte() & 0x06) : 0);
    if (choose_.chance(64)) put(&page, 6, 2, choose_.below(3));
    put(&page, 10, 2, choose_.below(20));
    put(&page, 12, 2, suspend_ms());
    if (choose_.chance(16)) page[4 + choose_.below(12)] = choose_.byte();
    return page;
  }

  /// The field of that page that cannot change: the longest movement, rounded up, and a sector.
  std::uint32_t suspend_ms() const {
    const auto table = std::make_unique<::drive_design>();
    drive::fill_firmware_design(drive_named(story_.drive), *table);
    const std::uint32_t stroke = table->pool[table->seek_table + table->cylinders - 1];
    return (stroke + table->head_switch_part) /
               (DRIVE_DESIGN_TICK_PARTS * TIME_TICKS_PER_MILLISECOND) +
           2;
  }

  /// Page T2A or T2B (SPC-5), seldom A or B: limits from a part of a phase to several revolutions.
  Bytes limits_page() {
    const std::uint32_t what = choose_.byte();
    const bool writes = (what & 1U) != 0;
    if (what >= 240) {
      Bytes page = {0x4A, static_cast<std::uint8_t>(writes ? 0x04 : 0x03), 0, 0x20, 0, 0, 0, 0};
      for (int i = 0; i < 7; ++i) {
        for (const std::uint8_t byte : {std::uint8_t{0x80}, std::uint8_t{0}}) page.push_back(byte);
        page.push_back(choose_.byte());
        page.push_back(choose_.byte());
      }
      return page;
    }
    Bytes page = duration_page(&choose_, writes, limits_);
    if (what >= 232)
      page[choose_.byte() % page.size()] ^= static_cast<std::uint8_t>(1U << (what % 8));
    return page;
  }

  /// FORMAT UNIT, REASSIGN BLOCKS, diagnostics, defect lists, logs.
  Action make_repair() {
    switch (choose_.below(16)) {
      case 0:
      case 1:
      case 2: return make_format();
      case 3:
      case 4:
      case 5:
      case 6: return with_list({0x07, 0, 0, 0, 0, 0}, defect_list(0, choose_.chance(200) ? 1 : 4));
      case 7:
      case 8: return with_list({0x1D, some_bits(0x04, 0x17), 0, 0, 0, 0}, {});
      case 9: return with_list({0x1C, 0, 0, 0, choose_.byte(), 0}, {});
      case 10:
      case 11:
        return with_list(
            {0x37, 0, some_bits(0x1C, 0x1F), 0, 0, 0, 0, choose_.byte(), choose_.byte(), 0}, {});
      case 12:
        return with_list(
            {0xB7, some_bits(0x1C, 0x1F), 0, 0, 0, 0, 0, 0, choose_.byte(), choose_.byte(), 0, 0},
            {});
      case 13: {
        Bytes list = {0x02, 0, 0, 8, 0, 0x05, 0, 4, 0, 0, 0, 0};
        if (choose_.chance(128)) list.clear();
        return with_list({0x4C, some_bits(0x02, 0x03), some_bits(0x40, 0xC0), 0, 0, 0, 0, 0,
                          static_cast<std::uint8_t>(list.size()), 0},
                         list);
      }
      default: {
        // Page and subpage come from one draw, so that later draws of a seed stay the same.
        const std::uint8_t page = choose_.byte();
        const std::uint8_t subpage = page >= 0xC0 ? 0xFF : page >= 0x80 ? 0x21 : 0;
        return with_list({0x4D, 0, static_cast<std::uint8_t>(0x40 | (page & 0x3F)), subpage, 0, 0,
                          0, 0, choose_.byte(), 0},
                         {});
      }
    }
  }

  /// Mostly some of the `usual` bits, else any of `all`.
  std::uint8_t some_bits(std::uint8_t usual, std::uint8_t all) {
    return choose_.chance(180) ? usual : static_cast<std::uint8_t>(choose_.byte() & all);
  }

  /// A defect list: a header with `options`, and that many blocks.
  Bytes defect_list(std::uint8_t options, std::uint32_t count) {
    Bytes list = {0, options, 0, static_cast<std::uint8_t>(4 * count)};
    for (std::uint32_t i = 0; i < count; ++i) {
      Bytes block(4);
      put(&block, 0, 4, choose_lba(1));
      list.insert(list.end(), block.begin(), block.end());
    }
    return list;
  }

  /// FORMAT UNIT, only for small drives: the media of a large one take hours.
  Action make_format() {
    if (capacity_.blocks > kPreparedBlocksMax) return with_list({0x1D, 0x04, 0, 0, 0, 0}, {});
    static constexpr std::uint8_t kOptions[] = {0x82, 0x82, 0xA2, 0xA0, 0x80, 0x02, 0x00, 0xAA};
    const std::uint8_t options = choose_.chance(20) ? choose_.byte() : kOptions[choose_.below(8)];
    if (choose_.chance(64)) return with_list({0x04, 0, 0, 0, 0, 0}, {});
    const std::uint8_t complete = choose_.chance(64) ? 0x08 : 0;
    Bytes list = defect_list(options, choose_.chance(80) ? 1 + choose_.below(2) : 0);
    if ((options & 0x08) != 0) list.insert(list.begin() + 4, {0, 1, 0, 1, 0x5A});
    return with_list({0x04, static_cast<std::uint8_t>(0x10 | complete), 0, 0,
                      static_cast<std::uint8_t>(choose_.below(2)), 0},
                     list);
  }

  // ---- how a command travels

  void dress(Action* action) {
    shorten(action);
    if (action->cdb[0] == kOpFormat && capacity_.blocks > kPreparedBlocksMax) action->cdb[1] = 0x1F;
    tag(action);
    if (style_.no_disconnection) action->may_disconnect = !choose_.chance(100);
    if (style_.no_sense) action->auto_sense = !choose_.chance(60);
    const Request request = request_of(action->cdb, capacity_);
    const bool known =
        request.operation == Operation::kRead || request.operation == Operation::kWrite;
    if (!known && request.moves == Moves::kIn) {
      action->allocation =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(request.data_bytes, 4096));
    }
    if (style_.urgent && choose_.chance(160)) action->messages.push_back(urgency_message());
    if (style_.sloppy && choose_.chance(40)) misbehave(action);
    if (style_.wordy && choose_.chance(40)) action->messages.push_back(long_message(&choose_));
    if (story_.hosts[action->host].kind == HostKind::kRaw) make_raw(action);
  }

  /// Megabytes of data would find no more than kilobytes.
  void shorten(Action* action) const {
    constexpr std::uint32_t kMostBlocks = 600;
    const Request request = request_of(action->cdb, capacity_);
    if (request.blocks <= kMostBlocks || request.moves == Moves::kNothing) return;
    if (cdb_bytes(action->cdb[0]) == 10) put(&action->cdb, 7, 2, request.blocks % kMostBlocks);
    if (cdb_bytes(action->cdb[0]) == 12) put(&action->cdb, 6, 4, request.blocks % kMostBlocks);
    if (cdb_bytes(action->cdb[0]) == 16) put(&action->cdb, 10, 4, request.blocks % kMostBlocks);
  }

  void tag(Action* action) {
    static constexpr TagType kAny[] = {TagType::kSimple,      TagType::kSimple,  TagType::kSimple,
                                       TagType::kHeadOfQueue, TagType::kOrdered, TagType::kSimple,
                                       TagType::kHeadOfQueue, TagType::kUntagged};
    const std::uint32_t which = choose_.byte();
    switch (style_.tagging[action->host]) {
      case Tagging::kSimple: action->tag_type = TagType::kSimple; break;
      case Tagging::kAnyType: action->tag_type = kAny[which % 7]; break;
      case Tagging::kUntagged: break;
      case Tagging::kMixed: action->tag_type = kAny[which % 8]; break;
    }
    if (action->tag_type == TagType::kUntagged) return;
    if (limits_) {
      action->free_tag = true;
      return;
    }
    action->tag = static_cast<std::uint16_t>(choose_.below(style_.tags));
    action->long_tag = which >= 248;
    if (which == 255) action->tag = static_cast<std::uint16_t>(choose_.word());
  }

  void misbehave(Action* action) {
    static constexpr Phase kPhases[] = {Phase::kDataOut, Phase::kDataIn,     Phase::kCommand,
                                        Phase::kStatus,  Phase::kMessageOut, Phase::kMessageIn};
    if (choose_.chance(128)) {
      const Phase phase = kPhases[choose_.below(6)];
      const std::uint32_t byte = bus::is_data(phase) ? choose_.word() % 4096 : choose_.below(8);
      action->parity_faults.push_back({phase, byte});
      return;
    }
    action->messages.push_back(odd_message(&choose_));
    // Messages after a rejected one count all the same (SCSI-2 6.6.14).
    if (choose_.chance(80)) action->messages.push_back(negotiation_message());
  }

  /// Adds behaviour that only raw hosts have.
  void make_raw(Action* action) {
    const bool scsi_1 = style_.scsi_1[action->host];
    if (scsi_1 && action->lun == 0) action->with_attention = false;
    if (!action->with_attention) {
      action->tag_type = TagType::kUntagged;
      action->long_tag = false;
      action->messages.clear();
    }
    if (choose_.chance(40)) action->refuses_disconnect = true;
    if (!style_.sloppy) return;
    if (action->with_attention && choose_.chance(16)) {
      action->own_opening = true;
      const std::uint32_t bytes = choose_.below(6);
      for (std::uint32_t i = 0; i < bytes; ++i) action->opening.push_back(choose_.byte());
      if (choose_.chance(128)) action->opening.insert(action->opening.begin(), 0xC0);
    }
    while (action->interjections.size() < 3 && choose_.chance(90)) {
      action->interjections.push_back(interjection());
    }
  }

  Interjection interjection() {
    static constexpr Phase kPhases[] = {Phase::kDataOut,   Phase::kDataIn,     Phase::kCommand,
                                        Phase::kStatus,    Phase::kMessageOut, Phase::kMessageIn,
                                        Phase::kMessageIn, Phase::kMessageIn};
    Interjection one;
    one.phase = kPhases[choose_.below(8)];
    one.entry = static_cast<std::uint8_t>(choose_.below(8) / 3);
    one.byte = bus::is_data(one.phase) ? choose_.word() % 2048 : choose_.below(7);
    one.message = choose_.chance(100) ? ending_message() : odd_message(&choose_);
    if (choose_.chance(40)) {
      const Bytes behind = negotiation_message();
      one.message.insert(one.message.end(), behind.begin(), behind.end());
    }
    return one;
  }

  /// An urgency message: the time in us, the class, the stream and the priority
  /// (firmware/target/message.h).
  Bytes urgency_message() {
    Bytes urgency = {0x01,
                     8,
                     0x81,
                     0,
                     choose_.chance(64) ? choose_.byte() : std::uint8_t{0},
                     choose_.byte(),
                     choose_.byte()};
    for (const std::uint32_t most : {2U, 32U, 16U}) {
      urgency.push_back(static_cast<std::uint8_t>(choose_.below(most)));
    }
    return urgency;
  }

  Bytes ending_message() {
    static constexpr std::uint8_t kCodes[] = {0x06, 0x0D, 0x06, 0x0D, 0x0E, 0x0C, 0x05, 0x07};
    return {kCodes[choose_.below(8)]};
  }

  Bytes negotiation_message() {
    if (choose_.chance(128)) return {0x01, 2, 3, static_cast<std::uint8_t>(choose_.below(2))};
    return {0x01, 3, 1, static_cast<std::uint8_t>(25 + choose_.below(100)),
            static_cast<std::uint8_t>(choose_.below(20))};
  }

  const std::uint8_t* bytes_;
  std::size_t count_;
  bool limits_;  // whether the theme is kLimits
  FurtherChoices further_;
  Choices choose_;
  Capacity capacity_;
  MapActions maps_{Capacity{}, 0, 1};
  Style style_;
  Storyline story_;
};

}  // namespace

Storyline generate(const std::uint8_t* bytes, std::size_t count, Theme theme) {
  if (theme == Theme::kCache) return generate_about_cache(bytes, count);
  if (theme == Theme::kMoves) return generate_about_moves(bytes, count);
  if (theme == Theme::kBus) return generate_about_bus(bytes, count);
  return Generator(bytes, count, theme).make();
}

Storyline random_storyline(std::uint64_t seed, std::uint64_t number, Theme theme) {
  const Bytes bytes = random_bytes(seed, number, theme);
  return generate(bytes.data(), bytes.size(), theme);
}

Bytes random_bytes(std::uint64_t seed, std::uint64_t number, Theme theme) {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15ULL + number);
  // Enough actions that 64 commands are out with limits, and that the cache's rings wrap.
  const bool is_long = theme != Theme::kAnything;
  std::size_t actions = is_long ? 100 + random() % 200 : 4 + random() % 60;
  // Two of three storylines about the bus are short, so that many setups are tried.
  if (theme == Theme::kBus && random() % 3 != 0) actions = 10 + random() % 90;
  Bytes bytes(kSetupBytes + actions * kActionBytes);
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = random();
    for (std::size_t k = 0; k < 8 && i + k < bytes.size(); ++k, word >>= 8U) {
      bytes[i + k] = static_cast<std::uint8_t>(word);
    }
  }
  return bytes;
}

}  // namespace headstack::fuzz
