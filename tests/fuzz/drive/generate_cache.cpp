// SPDX-License-Identifier: Apache-2.0
// Storylines about the cache (generate.hpp, Theme::kCache).
#include <algorithm>
#include <array>
#include <vector>

#include "tests/firmware/controller_page.hpp"
#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/theme_generator.hpp"

namespace headstack::fuzz {
namespace {

using initiator::TagType;

/// Blocks that most commands are about.
constexpr std::uint32_t kSpan = 64;
/// Outstanding commands, all hosts together.
constexpr std::uint32_t kDepth = 32;

enum class Kind : std::uint8_t {
  kRead,
  kWrite,
  kAwait,
  // Kinds of actions. A storyline has some of them.
  kVerify,
  kSynchronize,
  kCaching,
  kController,
  kRecovery,
  kReassign,
  kFormat,
  kStop,
  kAbort,
  kAbortTag,
  kClearQueue,
  kReset,
  kBurst,
  kCount,
};

constexpr KindRow<Kind> kKinds[] = {
    {Kind::kRead, 110},      {Kind::kWrite, 34},     {Kind::kAwait, 20},     {Kind::kVerify, 4},
    {Kind::kSynchronize, 4}, {Kind::kCaching, 10},   {Kind::kController, 6}, {Kind::kRecovery, 5},
    {Kind::kReassign, 5},    {Kind::kFormat, 1},     {Kind::kStop, 2},       {Kind::kAbort, 4},
    {Kind::kAbortTag, 8},    {Kind::kClearQueue, 2}, {Kind::kReset, 3},      {Kind::kBurst, 5},
};
constexpr std::size_t kAlways = 3;  // number of rows that every storyline has

/// Blocks, such as those of a host's last command.
struct Range {
  std::uint32_t lba = 0, blocks = 1;
  std::uint32_t end() const { return lba + blocks; }
};

class CacheGenerator : private ThemeGenerator {
 public:
  CacheGenerator(const std::uint8_t* bytes, std::size_t count) : ThemeGenerator(bytes, count) {}

  Storyline make() {
    set_up();
    push_ready();
    push(0, select_page(caching_page()));
    push_await(0, 0);
    choose_ = further_.next();
    push(0, select_page(controller_page()));
    push_await(0, 0);
    if (choose_.chance(80)) push(0, select_page(disconnect_page()));
    if (!story_.flaws.empty()) push(0, select_page(recovery_page()));
    push_ready();
    add_actions();
    read_back(first_ + kSpan, 16);
    return std::move(story_);
  }

 private:
  // ---- the setup

  void set_up() {
    story_.drive = drive_names()[choose_.below(5)];
    capacity_ = capacity_of(story_.drive);
    buffer_ = drive_named(story_.drive).design.buffer_bytes / capacity_.block_bytes;
    const std::uint32_t hosts = 1 + choose_.below(2);
    // A message in the middle of data divides a data phase. The host that sends it is a raw one.
    interrupts_ = choose_.chance(48);
    add_hosts(hosts, [this] { return interrupts_; });
    const std::uint32_t mask = choose_.word();
    kinds_.draw(mask);
    const std::uint32_t room = capacity_.blocks - kSpan;
    const std::uint32_t place = choose_.word();
    // One of four is at the drive's end, where read-ahead ends.
    first_ = place % 4 == 0 ? room : room * (place / 4) / 16'384;
    last_.fill({first_, 1});
    written_ = {first_, 1};
    gap_scale_ = choose_.below(3);
    set_up_flaws();
    segment_ = draw_segment();
  }

  /// Correctable flaws, whose blocks move to spares, and some unreadable ones.
  void set_up_flaws() {
    if (!choose_.chance(100)) return;
    const std::uint32_t flaws = 1 + choose_.below(4);
    for (std::uint32_t i = 0; i < flaws; ++i) {
      FlawSetup flaw;
      flaw.lba = first_ + choose_.below(kSpan);
      if (has_flaw(story_, flaw.lba)) continue;
      const bool is_lost = choose_.chance(40);
      flaw.kind = is_lost ? media::FlawKind::kUnreadable : media::FlawKind::kCorrectable;
      if (!is_lost) flaw.retries = 1 + choose_.below(4);
      story_.flaws.push_back(flaw);
    }
  }

  // ---- mode pages

  /// A segment size, from some blocks to a fraction of the buffer.
  std::uint32_t draw_segment() {
    const std::uint32_t most = std::max(8U, buffer_ / (2 + choose_.below(6)));
    return choose_.chance(150) ? 4 + choose_.below(12) : 1 + choose_.below(std::min(most, 64U));
  }

  /// SBC-2 6.3.3: few segments, so that rings wrap. Bytes that cannot change are as at power-on.
  Bytes caching_page() {
    Bytes page(20);
    page[0] = 0x08;
    page[1] = 18;
    const std::uint32_t bits = choose_.byte();
    page[2] = static_cast<std::uint8_t>(((bits & 1U) != 0 ? 0x04 : 0) | (bits >= 244 ? 0x01 : 0));
    put(&page, 4, 2, choose_.chance(24) ? 1 + choose_.below(12) : 0xFFFF);
    put(&page, 8, 2, choose_.chance(100) ? choose_.below(40) : 0xFFFF);
    put(&page, 10, 2, 0xFFFF);
    page[12] = choose_.chance(8) ? 0x20 : 0;
    page[13] = static_cast<std::uint8_t>(1 + choose_.below(4));
    put(&page, 14, 2, segment_);
    return page;
  }

  /// The vendor's page 21h: mostly with read-ahead beyond requests, and with written blocks kept.
  /// Sometimes with a time before the first action of a command.
  Bytes controller_page() {
    Bytes page = test::controller_page();
    const std::uint32_t bits = choose_.byte();
    page[18] = static_cast<std::uint8_t>(bits < 64    ? bits
                                         : bits < 160 ? 0x30
                                                      : (bits & 0x04U) | (0x10U << (bits & 1U)));
    page[MODE_CONTROLLER_AT_MORE] = choose_.chance(160) ? MODE_CONTROLLER_READS_FREE : 0;
    if (choose_.chance(40)) put(&page, 2 + 2 * choose_.below(8), 2, choose_.below(256) << 4U);
    if (choose_.chance(100)) {
      page[18] |= static_cast<std::uint8_t>(
          choose_.byte() & (MODE_CONTROLLER_RESELECTS_AHEAD | MODE_CONTROLLER_FAR_IN_SEQUENCE));
      // Without these times the two bits have no effect.
      const std::uint32_t stages = choose_.byte();
      for (std::size_t i = 0; i < MODE_CONTROLLER_STAGES; ++i) {
        if ((stages >> i & 1U) == 0) continue;
        put(&page, MODE_CONTROLLER_AT_STAGES + 2 * i, 2, (1 + choose_.below(255)) << 4U);
      }
    }
    return page;
  }

  /// Page 02h: the share of a read that must be there before the drive takes the bus.
  Bytes disconnect_page() {
    Bytes page(16);
    page[0] = 0x02;
    page[1] = 14;
    page[2] = choose_.byte();
    return page;
  }

  /// Page 01h: mostly with AWRE and ARRE, seldom with PER, DTE and TB.
  Bytes recovery_page() {
    Bytes page(12);
    page[0] = 0x01;
    page[1] = 10;
    page[2] = static_cast<std::uint8_t>(choose_.byte() & 0xC0U);
    if (choose_.chance(60)) page[2] = static_cast<std::uint8_t>(choose_.byte() & 0xE6U);
    page[3] = page[8] = static_cast<std::uint8_t>(1 + choose_.below(8));
    return page;
  }

  // ---- actions

  void push(std::uint8_t host, Action action) override {
    action.host = host;
    if (action.kind == ActionKind::kCommand) {
      action.tag_type = TagType::kSimple;
      action.free_tag = true;
      push_await_room(host, kDepth);
    }
    story_.actions.push_back(std::move(action));
  }

  /// Gaps: none, an instruction to a sector, some sectors, or some revolutions. A sector takes 0.4
  /// to 0.6 ms.
  static constexpr GapScales kMostMicroseconds = {
      {0, 0, 0, 0, 100, 500, 2'000, 20'000},
      {0, 0, 50, 500, 2'000, 5'000, 10'000, 40'000},
      {0, 500, 2'000, 5'000, 10'000, 20'000, 40'000, 100'000},
  };

  void add_action() override {
    const Kind kind = kinds_.choose(choose_);
    const Picoseconds gap = choose_gap(kMostMicroseconds);
    const std::uint8_t host = choose_host();
    Action action;
    switch (kind) {
      case Kind::kRead: action.cdb = transfer(host, false); break;
      case Kind::kWrite: action.cdb = transfer(host, true); break;
      case Kind::kVerify: action.cdb = ranged(0x2F, draw_range(host)); break;
      case Kind::kSynchronize: action.cdb = {0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}; break;
      case Kind::kCaching:
        // Mostly the segments keep their size, and those in use get new limits.
        if (choose_.chance(100)) segment_ = draw_segment();
        action = select_page(caching_page());
        break;
      case Kind::kController: action = select_page(controller_page()); break;
      case Kind::kRecovery: action = select_page(recovery_page()); break;
      case Kind::kReassign:
        action.cdb = {0x07, 0, 0, 0, 0, 0};
        action.list = {0, 0, 0, 4, 0, 0, 0, 0};
        put(&action.list, 4, 4, draw_range(host).lba);
        break;
      case Kind::kFormat: action.cdb = {0x04, 0, 0, 0, 0, 0}; break;
      case Kind::kStop:
        action.cdb = {0x1B, 0, 0, 0, static_cast<std::uint8_t>(choose_.below(2)), 0};
        break;
      case Kind::kAbort: action.kind = ActionKind::kAbort; break;
      case Kind::kAbortTag:
        action.kind = ActionKind::kAbortTag;
        action.tag = static_cast<std::uint16_t>(choose_.below(6));
        break;
      case Kind::kClearQueue: action.kind = ActionKind::kClearQueue; break;
      case Kind::kReset:
        action.kind = choose_.chance(128) ? ActionKind::kDeviceReset : ActionKind::kBusReset;
        break;
      case Kind::kBurst: push_burst(host, gap); return;
      case Kind::kAwait:
      case Kind::kCount: push_await(host, choose_.below(4)); return;
    }
    action.gap = gap;
    if (action.kind == ActionKind::kCommand && choose_.chance(10)) action.may_disconnect = false;
    if (interrupts_ && kind == Kind::kRead && choose_.chance(60)) interrupt(&action);
    const bool resets =
        action.kind == ActionKind::kDeviceReset || action.kind == ActionKind::kBusReset;
    push(host, std::move(action));
    if (resets || kind == Kind::kFormat) begin_again(host);
    if (kind == Kind::kStop) start(host);
  }

  /// Adds commands that keep the bus from the drive: blocks read for others wait in their rings.
  /// Some bursts include a MODE SELECT.
  void push_burst(std::uint8_t host, Picoseconds gap) {
    const std::uint32_t count = 4 + choose_.below(60);
    const std::uint32_t what = choose_.below(6);
    for (std::uint32_t i = 0; i < count; ++i) {
      Action action;
      action.cdb = {0x12, 0, 0, 0, 36, 0};
      action.allocation = 36;
      if (i == count / 2 && what == 0) action = select_page(caching_page());
      if (i == count / 2 && what == 1) action = select_page(recovery_page());
      if (i == 0) action.gap = gap;
      push(host, std::move(action));
    }
  }

  /// Adds NO OPERATION in the middle of data.
  void interrupt(Action* action) {
    Interjection one;
    one.phase = bus::Phase::kDataIn;
    one.entry = static_cast<std::uint8_t>(choose_.below(2));
    one.byte = choose_.word() % (8 * capacity_.block_bytes);
    one.message = {0x08};
    action->interjections.push_back(one);
  }

  /// Sets the modes again after a reset.
  void begin_again(std::uint8_t host) {
    push_ready();
    push(host, select_page(caching_page()));
    push(host, select_page(controller_page()));
  }

  // ---- blocks

  std::uint32_t draw_blocks() {
    if (choose_.chance(10)) return 1 + choose_.below(std::min(2 * buffer_, 400U));
    if (choose_.chance(40)) return 1 + choose_.below(40);
    return 1 + choose_.below(std::max(1U, segment_));
  }

  /// Blocks after the last read, over one of its ends, in it, or the same; those written last, or
  /// over their ends; or any nearby.
  Range draw_range(std::uint8_t host) {
    const std::uint32_t blocks = draw_blocks();
    const Range& last = last_.at(host);
    Range range{first_ + choose_.below(kSpan), blocks};
    switch (choose_.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3: range.lba = last.end(); break;
      case 4: range.lba = last.end() + choose_.below(8); break;
      case 5:
      case 6: range.lba = last.end() - std::min(last.end(), choose_.below(last.blocks + 1)); break;
      case 7: range.lba = last.lba - std::min(last.lba, choose_.below(blocks + 4)); break;
      case 8: range = last; break;
      case 9:
      case 10: range = written_; break;
      case 11:
        range.lba = written_.end() - std::min(written_.end(), choose_.below(blocks + 4));
        break;
      case 12:
        range = last_.at(choose_.below(static_cast<std::uint32_t>(story_.hosts.size())));
        break;
      default: break;
    }
    if (range.lba >= capacity_.blocks) range.lba = first_ + choose_.below(kSpan);
    range.blocks = std::min(range.blocks, capacity_.blocks - range.lba);
    return range;
  }

  static Bytes ranged(std::uint8_t opcode, const Range& range) {
    return ranged_cdb(opcode, range.lba, range.blocks);
  }

  Bytes transfer(std::uint8_t host, bool write) {
    const Range range = draw_range(host);
    Bytes cdb = ranged(write ? 0x2A : 0x28, range);
    const std::uint32_t bits = choose_.byte();
    if (bits >= 240) cdb[1] |= 0x08;      // FUA
    if (bits % 16 == 15) cdb[1] |= 0x10;  // DPO
    if (write) {
      written_ = range;
    } else {
      last_.at(host) = range;
    }
    return cdb;
  }

  std::uint32_t buffer_ = 0;  // buffer size in blocks
  Kinds<Kind, std::size(kKinds)> kinds_{kKinds, kAlways};
  std::uint32_t segment_ = 0;  // segment size in blocks
  bool interrupts_ = false;
  std::array<Range, kHostsMax> last_{};  // blocks of each host's last read
  Range written_;
};

}  // namespace

Storyline generate_about_cache(const std::uint8_t* bytes, std::size_t count) {
  return CacheGenerator(bytes, count).make();
}

}  // namespace headstack::fuzz
