// SPDX-License-Identifier: Apache-2.0
// Storylines about a drive that moves its blocks (generate.hpp, Theme::kMoves).
#include <algorithm>
#include <array>
#include <vector>

#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/map_actions.hpp"
#include "tests/fuzz/drive/theme_generator.hpp"

namespace headstack::fuzz {
namespace {

using initiator::TagType;

/// Outstanding commands, all hosts together.
constexpr std::uint32_t kDepth = 24;

enum class Kind : std::uint8_t {
  kRead,
  kWrite,
  kAwait,
  // Kinds of actions. A storyline has some of them.
  kRemap,
  kStage,
  kAsk,
  kReassign,
  kRecovery,
  kCaching,
  kController,
  kPolicy,
  kStreams,
  kVerify,
  kSynchronize,
  kFormat,
  kStop,
  kReservation,
  kAbort,
  kAbortTag,
  kClearQueue,
  kReset,
  kCount,
};

constexpr KindRow<Kind> kKinds[] = {
    {Kind::kRead, 60},       {Kind::kWrite, 60},      {Kind::kAwait, 20},    {Kind::kRemap, 14},
    {Kind::kStage, 6},       {Kind::kAsk, 6},         {Kind::kReassign, 10}, {Kind::kRecovery, 6},
    {Kind::kCaching, 5},     {Kind::kController, 4},  {Kind::kPolicy, 4},    {Kind::kStreams, 3},
    {Kind::kVerify, 5},      {Kind::kSynchronize, 4}, {Kind::kFormat, 1},    {Kind::kStop, 2},
    {Kind::kReservation, 1}, {Kind::kAbort, 4},       {Kind::kAbortTag, 8},  {Kind::kClearQueue, 3},
    {Kind::kReset, 4},
};
constexpr std::size_t kAlways = 3;  // number of rows that every storyline has

class MovesGenerator : private ThemeGenerator {
 public:
  MovesGenerator(const std::uint8_t* bytes, std::size_t count) : ThemeGenerator(bytes, count) {
    choose_ = further_.next();
  }

  Storyline make() {
    set_up();
    open();
    add_actions();
    read_back(std::min(capacity_.blocks, first_ + span_ + longest_), 40);
    return std::move(story_);
  }

 private:
  // ---- the setup

  void set_up() {
    // Only one of the other small drives has spares.
    story_.drive = choose_.chance(40) ? "spared" : "mapped";
    capacity_ = capacity_of(story_.drive);
    story_.at_speed = !choose_.chance(30);
    add_hosts(1 + choose_.below(3), [this] { return choose_.chance(30); });
    const std::uint32_t mask = choose_.word() << 16U | choose_.word();
    kinds_.draw(mask);
    static constexpr std::uint32_t kSpans[] = {64, 24, 200, 64};
    span_ = kSpans[choose_.below(4)];
    static constexpr std::uint32_t kLongest[] = {8, 4, 24, 80};
    longest_ = kLongest[choose_.below(4)];
    first_ = (capacity_.blocks - span_) * choose_.word() / 65'536;
    gap_scale_ = choose_.below(3);
    any_tag_ = choose_.chance(60);
    set_up_flaws();
  }

  /// Flaws whose blocks move to spares by REASSIGN BLOCKS, AWRE or ARRE, and some unreadable ones.
  void set_up_flaws() {
    if (!choose_.chance(170)) return;
    static constexpr media::FlawKind kFlaws[] = {
        media::FlawKind::kCorrectable, media::FlawKind::kWeakWrite,  media::FlawKind::kCorrectable,
        media::FlawKind::kCorrectable, media::FlawKind::kUnreadable, media::FlawKind::kWriteFault};
    const std::uint32_t flaws = 1 + choose_.below(8);
    for (std::uint32_t i = 0; i < flaws; ++i) {
      FlawSetup flaw;
      flaw.lba = first_ + choose_.below(span_);
      if (has_flaw(story_, flaw.lba)) continue;
      flaw.kind = kFlaws[choose_.below(6)];
      const bool is_for_ever = flaw.kind != media::FlawKind::kCorrectable && choose_.chance(128);
      if (flaw.kind == media::FlawKind::kUnreadable) {
        if (!is_for_ever) continue;
      } else if (!is_for_ever) {
        flaw.retries = 1 + choose_.below(6);
      }
      story_.flaws.push_back(flaw);
    }
  }

  void open() {
    maps_ = MapActions(capacity_, first_, span_);
    push_ready();
    if (choose_.chance(170)) push_select(caching_page());
    if (choose_.chance(60)) push_select(any_controller_page());
    if (!story_.flaws.empty()) push_select(recovery_page());
    push_ready();
    push_select(maps_.begin(choose_));
    choose_ = further_.next();
    stage(0, 0);
    push_select(maps_.change(choose_));
  }

  // ---- mode pages

  Bytes caching_page() {
    Bytes page(20);
    page[0] = 0x08;
    page[1] = 18;
    const std::uint32_t bits = choose_.byte();
    page[2] = static_cast<std::uint8_t>(((bits & 1U) != 0 ? 0x04 : 0) | (bits >= 200 ? 0x01 : 0));
    put(&page, 4, 2, 0xFFFF);
    put(&page, 8, 2, choose_.chance(100) ? choose_.below(40) : 0xFFFF);
    put(&page, 10, 2, 0xFFFF);
    page[13] = static_cast<std::uint8_t>(1 + choose_.below(8));
    put(&page, 14, 2, 2 + choose_.below(30));
    return page;
  }

  /// Page 01h: mostly with AWRE and ARRE, seldom with PER, DTE and TB.
  Bytes recovery_page() {
    Bytes page(12);
    page[0] = 0x01;
    page[1] = 10;
    page[2] = static_cast<std::uint8_t>(choose_.chance(150) ? 0xC0U : choose_.byte() & 0xC0U);
    if (choose_.chance(50)) page[2] = static_cast<std::uint8_t>(choose_.byte() & 0xE6U);
    page[3] = page[8] = static_cast<std::uint8_t>(1 + choose_.below(8));
    return page;
  }

  // ---- actions

  void push(std::uint8_t host, Action action) override {
    action.host = host;
    if (action.kind == ActionKind::kCommand) {
      static constexpr TagType kTypes[] = {TagType::kSimple, TagType::kOrdered,
                                           TagType::kHeadOfQueue, TagType::kSimple};
      action.tag_type = any_tag_ ? kTypes[choose_.below(4)] : TagType::kSimple;
      action.free_tag = true;
      const Request request = request_of(action.cdb, capacity_);
      if (request.operation != Operation::kRead && request.moves == Moves::kIn) {
        action.allocation = static_cast<std::uint32_t>(request.data_bytes);
      }
      push_await_room(host, kDepth);
    }
    story_.actions.push_back(std::move(action));
  }
  void push_select(const Bytes& page) {
    push(0, select(page));
    push_await(0, 0);
  }
  /// A MODE SELECT, which may save the page.
  Action select(const Bytes& page) {
    Action action = select_page(page);
    if (choose_.chance(50)) action.cdb[1] |= 0x01;
    return action;
  }
  void stage(std::uint8_t host, Picoseconds gap) {
    for (Action& action : maps_.stage(choose_)) {
      action.gap = gap;
      push(host, std::move(action));
    }
  }

  /// Gaps: none, or part of a sector to some revolutions of 10 ms. A unit moves in two to four of
  /// these.
  static constexpr GapScales kMostMicroseconds = {
      {0, 0, 0, 100, 500, 2'000, 20'000, 100'000},
      {0, 0, 500, 2'000, 5'000, 10'000, 40'000, 200'000},
      {0, 500, 5'000, 10'000, 20'000, 40'000, 100'000, 400'000},
  };

  void add_action() override {
    const Kind kind = kinds_.choose(choose_);
    const Picoseconds gap = choose_gap(kMostMicroseconds);
    const std::uint8_t host = choose_host();
    Action action;
    switch (kind) {
      case Kind::kRead: action.cdb = transfer(0x28); break;
      case Kind::kWrite: action.cdb = transfer(0x2A); break;
      case Kind::kVerify: action.cdb = transfer(0x2F); break;
      case Kind::kRemap: action = select(maps_.change(choose_)); break;
      case Kind::kStage: stage(host, gap); return;
      case Kind::kAsk: action = maps_.ask(choose_); break;
      case Kind::kReassign: action = reassign(); break;
      case Kind::kRecovery: action = select(recovery_page()); break;
      case Kind::kCaching: action = select(caching_page()); break;
      case Kind::kController: action = select(any_controller_page()); break;
      case Kind::kPolicy: action = select(any_policy_page()); break;
      case Kind::kStreams: action = select(streams_page(choose_)); break;
      case Kind::kSynchronize: action.cdb = {0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}; break;
      case Kind::kFormat: action.cdb = {0x04, 0, 0, 0, 0, 0}; break;
      case Kind::kStop:
        action.cdb = {0x1B, 0, 0, 0, static_cast<std::uint8_t>(choose_.below(2)), 0};
        break;
      case Kind::kReservation:
        action.cdb = {static_cast<std::uint8_t>(choose_.chance(100) ? 0x16 : 0x17), 0, 0, 0, 0, 0};
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
      case Kind::kAwait:
      case Kind::kCount: push_await(host, choose_.below(4)); return;
    }
    action.gap = gap;
    if (action.kind == ActionKind::kCommand && choose_.chance(10)) action.may_disconnect = false;
    const bool resets =
        action.kind == ActionKind::kDeviceReset || action.kind == ActionKind::kBusReset;
    push(host, std::move(action));
    if (resets || kind == Kind::kFormat) begin_again();
    if (kind == Kind::kStop) start(host);
  }

  /// Sets the modes again after a reset, which leaves page 23h unchanged.
  void begin_again() {
    push_ready();
    if (choose_.chance(170)) push(0, select(caching_page()));
    if (!story_.flaws.empty()) push(0, select(recovery_page()));
  }

  /// REASSIGN BLOCKS of blocks in use, often of one with a flaw.
  Action reassign() {
    Action action;
    const std::uint32_t count = choose_.chance(60) ? 1 + choose_.below(4) : 1;
    action.cdb = {0x07, 0, 0, 0, 0, 0};
    action.list.resize(4 + 4 * std::size_t{count});
    put(&action.list, 2, 2, 4 * std::size_t{count});
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto flaws = static_cast<std::uint32_t>(story_.flaws.size());
      const bool has_flaw = flaws != 0 && choose_.chance(100);
      const std::uint32_t lba =
          has_flaw ? story_.flaws[choose_.below(flaws)].lba : first_ + choose_.below(span_);
      put(&action.list, 4 + 4 * std::size_t{i}, 4, lba);
    }
    return action;
  }

  // ---- blocks

  Bytes transfer(std::uint8_t opcode) {
    const std::uint32_t blocks =
        choose_.chance(6) ? 1 + choose_.below(200) : 1 + choose_.below(longest_);
    const std::uint32_t at =
        choose_.chance(16) ? choose_.word() % capacity_.blocks : first_ + choose_.below(span_);
    const std::uint32_t lba = std::min(at, capacity_.blocks - blocks);
    Bytes cdb = ranged_cdb(opcode, lba, blocks);
    const std::uint32_t bits = choose_.byte();
    if (bits >= 236 && opcode != 0x2F) cdb[1] |= 0x08;  // FUA
    return cdb;
  }

  MapActions maps_{Capacity{}, 0, 1};
  Kinds<Kind, std::size(kKinds)> kinds_{kKinds, kAlways};
  std::uint32_t span_ = 64;
  std::uint32_t longest_ = 8;
  bool any_tag_ = false;
};

}  // namespace

Storyline generate_about_moves(const std::uint8_t* bytes, std::size_t count) {
  return MovesGenerator(bytes, count).make();
}

}  // namespace headstack::fuzz
