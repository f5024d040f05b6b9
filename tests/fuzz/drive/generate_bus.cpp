// SPDX-License-Identifier: Apache-2.0
// Storylines about the bus (generate.hpp, Theme::kBus).
#include <algorithm>
#include <array>
#include <vector>

#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/theme_generator.hpp"

namespace headstack::fuzz {
namespace {

using bus::Phase;
using initiator::TagType;

enum class Kind : std::uint8_t {
  kRead,
  kWrite,
  kAwait,
  kBurst,
  kShift,
  // Kinds of actions. A storyline has some of them.
  kDisconnect,
  kCaching,
  kControl,
  kLimits,
  kPolicy,
  kController,
  kWriteBuffer,
  kRecovery,
  kSense,
  kVerify,
  kSynchronize,
  kInquiry,
  kRequestSense,
  kReassign,
  kAbort,
  kAbortTag,
  kClearQueue,
  kReset,
  kStop,
  kFormat,
};

constexpr KindRow<Kind> kKinds[] = {
    {Kind::kRead, 90},    {Kind::kWrite, 90},       {Kind::kAwait, 10},     {Kind::kBurst, 8},
    {Kind::kShift, 6},    {Kind::kDisconnect, 8},   {Kind::kCaching, 6},    {Kind::kControl, 4},
    {Kind::kLimits, 4},   {Kind::kPolicy, 3},       {Kind::kController, 3}, {Kind::kWriteBuffer, 3},
    {Kind::kRecovery, 3}, {Kind::kSense, 4},        {Kind::kVerify, 4},     {Kind::kSynchronize, 8},
    {Kind::kInquiry, 8},  {Kind::kRequestSense, 8}, {Kind::kReassign, 2},   {Kind::kAbort, 4},
    {Kind::kAbortTag, 6}, {Kind::kClearQueue, 2},   {Kind::kReset, 2},      {Kind::kStop, 1},
    {Kind::kFormat, 1},
};
constexpr std::size_t kAlways = 5;  // number of rows that every storyline has

/// A host's use of the bus. Each share is of 256 commands.
struct Manner {
  std::uint32_t keeps = 0;    // commands without disconnect privilege
  std::uint32_t refuses = 0;  // raw host: DISCONNECT is rejected, or answered in another way
  std::uint32_t owes = 0;     // commands whose sense data the host does not fetch
  std::uint32_t any_tag = 0;  // commands with ORDERED or HEAD OF QUEUE
  bool is_odd = false;        // sends messages that no command needs
  bool is_apart = false;      // its blocks are no other host's
};

class BusGenerator : private ThemeGenerator {
 public:
  BusGenerator(const std::uint8_t* bytes, std::size_t count) : ThemeGenerator(bytes, count) {}

  Storyline make() {
    set_up();
    open();
    add_actions();
    read_back(std::min(capacity_.blocks, first_ + span_), 32);
    return std::move(story_);
  }

 private:
  // ---- the setup

  void set_up() {
    static constexpr const char* kDrives[] = {"small-32k", "small-32k", "small-32k", "small-64k",
                                              "tiny",      "small",     "small-32k", "spared",
                                              "mapped",    "small-1m"};
    const std::uint32_t pick = choose_.byte();
    // One of 32 storylines has a shipped drive.
    story_.drive = pick >= 248 ? drive_names()[5 + pick % 3] : kDrives[pick % std::size(kDrives)];
    capacity_ = capacity_of(story_.drive);
    buffer_ = drive_named(story_.drive).design.buffer_bytes / capacity_.block_bytes;
    set_up_hosts();
    kinds_.draw(choose_.word() << 16U | choose_.word());
    static constexpr std::uint32_t kDepths[] = {16, 8, 32, 32, 64, 128, 400, 256};
    depth_ = kDepths[choose_.below(8)];
    gap_scale_ = choose_.below(3);
    set_up_places();
    choose_ = further_.next();
    urgent_ = choose_.chance(40);
    set_up_manners();
    if (choose_.chance(70)) set_up_flaws();
  }

  /// One to seven hosts; half of the storylines have three or more. A wide bus has ids above 7.
  void set_up_hosts() {
    const std::uint32_t many = choose_.below(16);
    const std::uint32_t hosts = many < 9 ? 2 + many / 3 : many < 15 ? 4 + many % 4 : 1;
    const bool is_wide = drive_named(story_.drive).design.bus.width_bits == 16;
    const std::uint32_t odd = choose_.byte();
    const bool has_high_ids = is_wide && odd % 4 == 0;
    const std::uint32_t raw_share = odd < 100 ? 0 : odd < 200 ? 90 : 230;
    add_hosts(hosts, [&] { return choose_.chance(raw_share); });
    static constexpr std::uint8_t kHighIds[] = {15, 7, 8, 14, 1, 9, 13};
    for (std::size_t i = 0; has_high_ids && i < story_.hosts.size(); ++i) {
      story_.hosts[i].id = kHighIds[i];
    }
    active_ = (1U << hosts) - 1;
  }

  void set_up_places() {
    static constexpr std::uint32_t kSpans[] = {16, 40, 100, 300};
    span_ = std::min(kSpans[choose_.below(4)], capacity_.blocks / 2);
    const std::uint32_t longest[] = {4, 16, buffer_ / 2, buffer_ + 8, 2 * buffer_, 40, 8, 24};
    longest_ = std::clamp(longest[choose_.below(8)], 1U, 200U);
    const std::uint32_t place = choose_.word();
    first_ = static_cast<std::uint32_t>(std::uint64_t{capacity_.blocks - span_} * place / 65'536);
  }

  void set_up_manners() {
    const bool any_apart = choose_.chance(80);
    for (std::size_t i = 0; i < story_.hosts.size(); ++i) {
      Manner& manner = manners_.at(i);
      const bool is_raw = story_.hosts[i].kind == HostKind::kRaw;
      static constexpr std::uint32_t kShares[] = {0, 0, 30, 100, 256, 0, 60, 0};
      manner.keeps = kShares[choose_.below(8)];
      manner.refuses = kShares[choose_.below(8)] + (is_raw ? 40 : 0);
      manner.owes = choose_.chance(50) ? 40 : 0;
      manner.any_tag = kShares[choose_.below(8)];
      manner.is_odd = choose_.chance(60);
      manner.is_apart = any_apart && choose_.chance(200);
    }
  }

  void set_up_flaws() {
    static constexpr media::FlawKind kFlaws[] = {
        media::FlawKind::kCorrectable, media::FlawKind::kWeakWrite, media::FlawKind::kCorrectable,
        media::FlawKind::kUnreadable, media::FlawKind::kWriteFault};
    const std::uint32_t flaws = 1 + choose_.below(4);
    for (std::uint32_t i = 0; i < flaws; ++i) {
      FlawSetup flaw;
      flaw.lba = first_ + choose_.below(span_);
      if (has_flaw(story_, flaw.lba)) continue;
      flaw.kind = kFlaws[choose_.below(5)];
      if (flaw.kind != media::FlawKind::kUnreadable) flaw.retries = 1 + choose_.below(10);
      story_.flaws.push_back(flaw);
    }
  }

  void open() {
    push_ready();
    push_select(caching_page());
    if (choose_.chance(200)) push_select(disconnect_page());
    if (choose_.chance(120)) push_select(control_page());
    choose_ = further_.next();
    if (choose_.chance(80)) push_select(any_controller_page());
    if (choose_.chance(60)) push_select(any_policy_page());
    if (!story_.flaws.empty()) push_select(recovery_page());
    push_ready();
    has_limits_ = choose_.chance(80);
    for (std::uint8_t host = 0; has_limits_ && host < story_.hosts.size(); ++host) {
      choose_ = further_.next();
      push(host, select_page(duration_page(&choose_, false, depth_ >= 64)));
      push(host, select_page(duration_page(&choose_, true, depth_ >= 64)));
    }
  }

  // ---- mode pages

  /// SBC-2 6.3.3: the cache is off, for reads only, or for writes, too; mostly with few segments.
  Bytes caching_page() {
    Bytes page(20);
    page[0] = 0x08;
    page[1] = 18;
    static constexpr std::uint8_t kCaches[] = {0x04, 0x01, 0x04, 0x00, 0x04, 0x05};
    page[2] = kCaches[choose_.below(6)];
    put(&page, 4, 2, choose_.chance(24) ? 1 + choose_.below(12) : 0xFFFF);
    put(&page, 8, 2, choose_.chance(100) ? choose_.below(40) : 0xFFFF);
    put(&page, 10, 2, 0xFFFF);
    page[12] = choose_.chance(20) ? 0x20 : 0;
    page[13] = static_cast<std::uint8_t>(choose_.chance(230) ? 1 + choose_.below(4)
                                                             : 1 + choose_.below(16));
    put(&page, 14, 2, choose_.chance(128) ? 1 + choose_.below(buffer_) : buffer_ / 4);
    return page;
  }

  /// SCSI-2 8.3.3.2: half of the pages have DTDC. The disconnect time is so short that every
  /// command ends while its host has patience.
  Bytes disconnect_page() {
    Bytes page(16);
    page[0] = 0x02;
    page[1] = 14;
    constexpr std::uint8_t kRatios[] = {0, 1, 0x40, 0x80, 0xC0, 0xFE, 0xFF, 0xFF};
    page[2] = kRatios[choose_.below(8)];
    page[3] = kRatios[choose_.below(8)];
    const std::uint32_t which = choose_.byte();
    if ((which & 0x03U) == 0) put(&page, 4, 2, 1 + choose_.below(20));
    if ((which & 0x0CU) == 0) put(&page, 6, 2, 1 + choose_.below(12));
    if ((which & 0x30U) == 0) put(&page, 8, 2, 1 + choose_.below(40));
    const bool has_burst = choose_.chance(60);
    static constexpr std::uint8_t kControls[] = {1, 3, 1, 3, 0, 0, 0, 0};
    page[12] = kControls[choose_.below(8)];
    if (choose_.chance(40)) page[12] |= 0x08;  // DImm
    if (has_burst && (page[12] & 0x07U) == 0) put(&page, 10, 2, 1 + choose_.below(32));
    return page;
  }

  /// SCSI-2 8.3.3.1: the order of the queue, and sometimes QERR.
  Bytes control_page() {
    Bytes page(12);
    page[0] = 0x0A;
    page[1] = 10;
    static constexpr std::uint8_t kQueueErrors[] = {0, 0, 0, 0, 0, 0, 0x02, 0x06};
    page[3] = static_cast<std::uint8_t>((choose_.chance(128) ? 0x10 : 0) |
                                        kQueueErrors[choose_.below(8)]);
    return page;
  }

  /// The vendor's page 22h: when cached writes go to the media.
  Bytes write_buffer_page() {
    Bytes page(12);
    page[0] = 0x22;
    page[1] = 10;
    page[2] = static_cast<std::uint8_t>(choose_.below(4));
    if (page[2] == 1 || page[2] == 3) page[3] = static_cast<std::uint8_t>(1 + choose_.below(5));
    if (page[2] == 2) put(&page, 4, 4, choose_.below(2'000'000));
    return page;
  }

  Bytes recovery_page() {
    Bytes page(12);
    page[0] = 0x01;
    page[1] = 10;
    page[2] = static_cast<std::uint8_t>(choose_.byte() & 0xE6U);
    page[3] = page[8] = static_cast<std::uint8_t>(1 + choose_.below(12));
    return page;
  }

  /// MODE SELECT, which may save the page on a drive with a store.
  Action make_select(const Bytes& page) {
    Action action = select_page(page);
    if (choose_.chance(30)) action.cdb[1] |= 0x01;
    return action;
  }
  void push_select(const Bytes& page) {
    push(0, make_select(page));
    push_await(0, 0);
  }

  // ---- actions

  void push(std::uint8_t host, Action action) override {
    action.host = host;
    if (action.kind == ActionKind::kCommand) {
      dress(&action);
      push_await_room(host, std::max(depth_, static_cast<std::uint32_t>(story_.hosts.size())));
    }
    story_.actions.push_back(std::move(action));
  }

  void dress(Action* action) {
    const Manner& manner = manners_.at(action->host);
    static constexpr TagType kAny[] = {TagType::kSimple, TagType::kOrdered, TagType::kHeadOfQueue,
                                       TagType::kOrdered};
    action->tag_type = choose_.chance(manner.any_tag) ? kAny[choose_.below(4)] : TagType::kSimple;
    action->free_tag = true;
    action->may_disconnect = !choose_.chance(manner.keeps);
    action->auto_sense = !choose_.chance(manner.owes);
    const Request request = request_of(action->cdb, capacity_);
    if (request.operation != Operation::kRead && request.moves == Moves::kIn) {
      action->allocation =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(request.data_bytes, 4096));
    }
    if (urgent_ && choose_.chance(100)) {
      action->messages.push_back({0x01, 8, 0x81, 0, 0, choose_.byte(), choose_.byte(), 0, 0, 0});
    }
    if (story_.hosts[action->host].kind == HostKind::kRaw) {
      refuse(action, manner);
      if (manner.is_odd && choose_.chance(30)) interrupt(action);
    }
    if (manner.is_odd && choose_.chance(16)) action->messages.push_back(any_message());
  }

  Bytes any_message() {
    return choose_.chance(100) ? long_message(&choose_) : odd_message(&choose_);
  }

  /// The host refuses DISCONNECT, mostly by MESSAGE REJECT alone (SCSI-2 6.6.9).
  void refuse(Action* action, const Manner& manner) {
    if (!choose_.chance(manner.refuses)) return;
    action->refuses_disconnect = true;
    if (!manner.is_odd || choose_.chance(100)) return;
    static const std::array<Bytes, 16> kAnswers = {{
        {0x07, 0xA0},
        {0x07, 0x80},
        {0x07, 0xC0},
        {0xA0},
        {0x07, 0x08},
        {0x07, 0x07},
        {0x05},
        {0x07, 0x05},
        {0x08},
        {0x07, 0xC7},
        {0x06},
        {0x0D},
        {0xC0},
        {0x07, 0xE0},
        {0xB8},
        {0x07, 0x20, 0x05},
    }};
    action->refusal = kAnswers.at(choose_.below(kAnswers.size()));
  }

  void interrupt(Action* action) {
    static constexpr Phase kPhases[] = {Phase::kDataIn,    Phase::kDataOut,   Phase::kMessageIn,
                                        Phase::kMessageIn, Phase::kMessageIn, Phase::kStatus,
                                        Phase::kCommand,   Phase::kDataIn};
    Interjection one;
    one.phase = kPhases[choose_.below(8)];
    one.entry = static_cast<std::uint8_t>(choose_.below(3));
    one.byte =
        bus::is_data(one.phase) ? choose_.word() % (8 * capacity_.block_bytes) : choose_.below(4);
    one.message = any_message();
    action->interjections.push_back(std::move(one));
  }

  /// Gaps: none, an instruction to a sector, some sectors, or some revolutions. A sector takes 0.4
  /// to 0.6 ms.
  static constexpr GapScales kMostMicroseconds = {
      {0, 0, 0, 0, 0, 20, 500, 5'000},
      {0, 0, 0, 50, 500, 2'000, 10'000, 40'000},
      {0, 0, 500, 2'000, 5'000, 10'000, 40'000, 200'000},
  };

  std::uint8_t choose_active() {
    const auto hosts = static_cast<std::uint32_t>(story_.hosts.size());
    std::uint32_t host = choose_.below(hosts);
    while ((active_ >> host & 1U) == 0) host = (host + 1) % hosts;
    return static_cast<std::uint8_t>(host);
  }

  void add_action() override {
    const Kind kind = kinds_.choose(choose_);
    const Picoseconds gap = choose_gap(kMostMicroseconds);
    const std::uint8_t host = choose_active();
    Action action;
    switch (kind) {
      case Kind::kRead:
      case Kind::kWrite: action.cdb = transfer(host, kind == Kind::kWrite); break;
      case Kind::kBurst: return push_burst(gap);
      case Kind::kShift: return shift();
      case Kind::kAwait: return push_await(host, choose_.below(depth_ / 2 + 1));
      case Kind::kDisconnect: action = make_select(disconnect_page()); break;
      case Kind::kCaching: action = make_select(caching_page()); break;
      case Kind::kControl: action = make_select(control_page()); break;
      case Kind::kLimits:
        action = make_select(duration_page(&choose_, choose_.chance(128), depth_ >= 64));
        break;
      case Kind::kPolicy: action = make_select(any_policy_page()); break;
      case Kind::kController: action = make_select(any_controller_page()); break;
      case Kind::kWriteBuffer: action = make_select(write_buffer_page()); break;
      case Kind::kRecovery: action = make_select(recovery_page()); break;
      case Kind::kSense: action.cdb = {0x5A, 0x08, 0x3F, 0, 0, 0, 0, 1, 0, 0}; break;
      case Kind::kVerify: action.cdb = ranged(host, 0x2F); break;
      case Kind::kSynchronize: action.cdb = synchronize(host); break;
      case Kind::kInquiry:
        action.cdb = {0x12, 0, 0, 0, 36, 0};
        if (choose_.chance(128)) action.cdb = {0, 0, 0, 0, 0, 0};
        break;
      case Kind::kRequestSense: action.cdb = {0x03, 0, 0, 0, 18, 0}; break;
      case Kind::kReassign:
        action.cdb = {0x07, 0, 0, 0, 0, 0};
        action.list = {0, 0, 0, 4, 0, 0, 0, 0};
        put(&action.list, 4, 4, first_ + choose_.below(span_));
        break;
      case Kind::kAbort: action.kind = ActionKind::kAbort; break;
      case Kind::kAbortTag:
        action.kind = ActionKind::kAbortTag;
        action.tag = static_cast<std::uint16_t>(choose_.below(12));
        break;
      case Kind::kClearQueue: action.kind = ActionKind::kClearQueue; break;
      case Kind::kReset:
        action.kind = choose_.chance(128) ? ActionKind::kDeviceReset : ActionKind::kBusReset;
        break;
      case Kind::kStop:
        action.cdb = {0x1B, 0, 0, 0, static_cast<std::uint8_t>(choose_.below(2)), 0};
        break;
      case Kind::kFormat:
        if (capacity_.blocks > 10'000) return;
        action.cdb = {0x04, 0, 0, 0, 0, 0};
        break;
    }
    action.gap = gap;
    const bool resets =
        action.kind == ActionKind::kDeviceReset || action.kind == ActionKind::kBusReset;
    push(host, std::move(action));
    if (resets) begin_again(host);
    if (kind == Kind::kStop) start(host);
  }

  /// Sets the modes again after a reset.
  void begin_again(std::uint8_t host) {
    push_ready();
    push(host, make_select(caching_page()));
    push(host, make_select(disconnect_page()));
  }

  /// Adds commands of all active hosts at once, or of one alone. They draw from the same few
  /// lengths and places.
  void push_burst(Picoseconds gap) {
    const std::uint32_t count = 4 + choose_.below(std::min(depth_, 60U));
    const bool is_of_one = choose_.chance(80);
    const std::uint8_t one = choose_active();
    std::uint32_t draw = choose_.word() << 16U | choose_.word();
    for (std::uint32_t i = 0; i < count; ++i) {
      std::array<std::uint8_t, kActionBytes> bytes{};
      for (std::uint8_t& byte : bytes) {
        draw = draw * 1'664'525U + 1'013'904'223U;  // Numerical Recipes
        byte = static_cast<std::uint8_t>(draw >> 24U);
      }
      choose_ = Choices(bytes.data(), bytes.size());
      const std::uint8_t host = is_of_one ? one : choose_active();
      Action action;
      action.cdb = transfer(host, choose_.chance(128));
      if (i == 0) action.gap = gap;
      push(host, std::move(action));
    }
    choose_ = Choices(nullptr, 0);
  }

  /// Changes which hosts send from now on. Silent ones may owe a REQUEST SENSE for long.
  void shift() {
    const std::uint32_t all = (1U << story_.hosts.size()) - 1;
    active_ = choose_.byte() & all;
    if (active_ == 0) active_ = all;
  }

  // ---- blocks

  std::uint32_t choose_lba(std::uint8_t host, std::uint32_t blocks) {
    std::uint32_t lba = first_ + choose_.below(span_);
    const auto hosts = static_cast<std::uint32_t>(story_.hosts.size());
    if (manners_.at(host).is_apart)
      lba = (first_ + host * (capacity_.blocks / hosts) + choose_.below(span_)) % capacity_.blocks;
    return std::min(lba, capacity_.blocks - std::min(blocks, capacity_.blocks));
  }

  std::uint32_t choose_blocks() {
    if (choose_.chance(16)) return 1 + choose_.below(std::min(3 * buffer_, 250U));
    return 1 + choose_.below(longest_);
  }

  Bytes ranged(std::uint8_t host, std::uint8_t opcode) {
    const std::uint32_t blocks = choose_blocks();
    return ranged_cdb(opcode, choose_lba(host, blocks), blocks);
  }

  Bytes synchronize(std::uint8_t host) {
    Bytes cdb = ranged(host, 0x35);
    if (choose_.chance(128)) cdb = {0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (choose_.chance(30)) cdb[1] |= 0x02;  // IMMED
    return cdb;
  }

  Bytes transfer(std::uint8_t host, bool write) {
    Bytes cdb = ranged(host, write ? 0x2A : 0x28);
    if (has_limits_) {
      Bytes long_cdb(16);
      long_cdb[0] = write ? 0x8A : 0x88;
      std::copy(cdb.begin() + 2, cdb.begin() + 6, long_cdb.begin() + 6);
      std::copy(cdb.begin() + 7, cdb.begin() + 9, long_cdb.begin() + 12);
      const std::uint32_t number = choose_.below(8);
      long_cdb[1] = static_cast<std::uint8_t>(number >> 2U);
      long_cdb[14] = static_cast<std::uint8_t>((number & 3U) << 6U);
      cdb = long_cdb;
    }
    const std::uint32_t bits = choose_.byte();
    if (bits >= 236) cdb[1] |= 0x08;      // FUA
    if (bits % 16 == 15) cdb[1] |= 0x10;  // DPO
    return cdb;
  }

  std::uint32_t buffer_ = 0;  // buffer size in blocks
  Kinds<Kind, std::size(kKinds)> kinds_{kKinds, kAlways};
  std::array<Manner, kHostsMax> manners_{};
  std::uint32_t depth_ = 16;  // outstanding commands, all hosts together
  std::uint32_t active_ = 1;  // bit per host: it sends commands now
  std::uint32_t span_ = 16, longest_ = 4;
  bool has_limits_ = false;
  bool urgent_ = false;
};

}  // namespace

Storyline generate_about_bus(const std::uint8_t* bytes, std::size_t count) {
  return BusGenerator(bytes, count).make();
}

}  // namespace headstack::fuzz
