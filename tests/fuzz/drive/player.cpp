// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/player.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "sim/soc/stop_code.hpp"
#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/oracle.hpp"
#include "tests/fuzz/drive/places.hpp"
#include "tests/fuzz/drive/stage.hpp"

namespace headstack::fuzz {
namespace {

using initiator::Completion;
using initiator::Outcome;

constexpr Picoseconds kSlice = 10 * kPicosecondsPerMillisecond;
/// A circle of waits does not end by itself, so it suffices to look for one at every N-th
/// opportunity.
constexpr std::uint32_t kLooksAtWaits = 256;
constexpr Picoseconds kPoll = 50 * kPicosecondsPerMicrosecond;
constexpr Picoseconds kCalm = 20 * kPicosecondsPerSecond;
constexpr Picoseconds kCalmEach = kPicosecondsPerSecond;
constexpr std::uint32_t kAbortsMax = 8;
constexpr int kPoliteTries = 30;
/// Small drives only are formatted: 120 tracks, each written and read back, take some 4 s.
constexpr Picoseconds kFormatLimit = 10 * kPicosecondsPerSecond;
/// 32/00: formatted, but a defect of the list has no spare.
constexpr std::uint16_t kNoSpare = 0x3200;
/// Room for all mode pages.
constexpr std::uint32_t kModesBytes = 1024;
/// A shorter hold of the bus is not checked.
constexpr Picoseconds kLookAtHold = kPicosecondsPerSecond;
constexpr Picoseconds kPoliteWait = 20 * kPicosecondsPerMillisecond;

class Player {
 public:
  Player(const Storyline& storyline, const Transcript& transcript)
      : storyline_(storyline),
        transcript_(transcript),
        capacity_(capacity_of(storyline.drive)),
        stage_(make_stage(storyline)),
        places_(storyline.drive, *stage_),
        oracle_(
            storyline, capacity_, stage_->is_blank(),
            [this](std::uint32_t lba, std::uint8_t* data) {
              const media::SectorIndex sector = places_.sector_of(lba);
              // Then the drive's own sectors are wrong, which find_fault() reports.
              if (sector >= stage_->media().geometry().sector_count) return false;
              stage_->media().peek(sector, data, nullptr);
              return !has_flaw(sector);
            },
            places_.are_kept()) {}

  Played play() {
    while (next_ < storyline_.actions.size() && !over()) {
      const Action& action = storyline_.actions[next_];
      if (action.kind == ActionKind::kAwait) {
        last_ += action.gap;
        if (run_until(last_)) await(action);
        ++next_;
        continue;
      }
      stage_->schedule(last_ + action.gap, [this] { return act(); });
      while (stage_->scheduled() != kOpen && !over()) run_until(stage_->scheduled());
    }
    if (!over()) calm();
    Played played;
    played.finding = oracle_.finding();
    played.totals.storylines = 1;
    played.totals.commands = oracle_.tickets().size();
    played.totals.messages = messages_;
    played.totals.phases = stage_->phase_count();
    played.totals.limits = limits_;
    return played;
  }

 private:
  /// Performs the next action, at its time. Returns when the following one is due, or kOpen.
  Picoseconds act() {
    const Action& action = storyline_.actions[next_++];
    last_ += action.gap;
    perform(action);
    if (next_ == storyline_.actions.size()) return kOpen;
    const Action& next = storyline_.actions[next_];
    return next.kind == ActionKind::kAwait ? kOpen : last_ + next.gap;
  }

  // ---- time

  bool run_until(Picoseconds time) {
    do {
      const Picoseconds next = std::min(time, std::max(stage_->now(), sliced_) + kSlice);
      if (!simulate(next)) return false;
    } while (stage_->now() < time);
    return true;
  }

  /// Simulates until a time. False when the storyline is over.
  bool simulate(Picoseconds until) {
    try {
      stage_->run_until(until);
    } catch (const Restless&) {
      oracle_.report(
          "endless exchange",
          fmt::format("the firmware has been awake for {:.0f} ms, and the bus is in {}",
                      to_ms(longest_awake(storyline_)), bus::phase_name(stage_->phase())),
          "host and drive come to an end with each other", stage_->now());
      return false;
    }
    sliced_ = std::max(until, stage_->now());
    check_health();
    return !over();
  }

  bool over() const { return given_up_ || oracle_.finding().has_value(); }

  void check_waits() {
    const std::string circle = stage_->find_circle();
    if (circle.empty()) return;
    oracle_.report("deadlock", circle, "no part of the drive waits for itself", stage_->now());
  }

  void check_health() {
    const Picoseconds now = stage_->now();
    if (const auto code = stage_->exit_code()) {
      oracle_.report(fmt::format("firmware stopped {}:{}", *code >> 16U, *code & 0xFFFFU),
                     "the firmware stopped: " + soc::stop_text(*code), "firmware never stops", now);
    }
    if (++looks_ % kLooksAtWaits == 0) check_waits();
    if (!stage_->violations().empty() && any_provoked_) {
      // A host that sends nonsense may have ended an agreement. Nothing can be judged from here on:
      // drive and host disagree about the data transferred.
      given_up_ = true;
    } else if (!stage_->violations().empty()) {
      oracle_.report("bus protocol", bus::rule_text(stage_->violations()[0].rule),
                     "no breach of the bus's protocol", stage_->violations()[0].at);
    }
    for (std::size_t i = 0; i < storyline_.hosts.size(); ++i) {
      const bool judged = !any_provoked_ && !oracle_.may_mistake_queue_error();
      if (stage_->host(i).unknown_nexus_count() != 0 && judged) {
        oracle_.report("unknown nexus",
                       fmt::format("h{} was reselected for a command that it does not have", i),
                       "a command that has ended, or was aborted, does not come back", now);
      }
    }
    oracle_.check_waiting(now);
    check_bus();
    if (oracle_.ended_count() != ended_) {
      ended_ = oracle_.ended_count();
      exchanged_ = exchange_count();
    } else if (exchange_count() > exchanged_ + kExchangeMax) {
      oracle_.report(
          "endless exchange",
          fmt::format("{} phases and bytes of messages went by, and no command ended; the "
                      "bus is in {}",
                      kExchangeMax, bus::phase_name(stage_->phase())),
          "host and drive come to an end with each other", now);
    }
  }

  /// Finds a bus that stays in a phase in which no byte of a message moves.
  void check_bus() {
    const Picoseconds now = stage_->now();
    const std::uint64_t count = exchange_count();
    if (count != held_count_ || stage_->phase() == bus::Phase::kBusFree) {
      held_count_ = count;
      held_since_ = now;
    }
    if (now - held_since_ <= kLookAtHold || now - held_since_ <= oracle_.longest_hold()) return;
    oracle_.report("bus held for good",
                   fmt::format("the bus has been in {} for {:.1f} s; not ended: {}",
                               bus::phase_name(stage_->phase()), to_ms(now - held_since_) / 1000,
                               unended_text()),
                   "the drive begins a phase only if it can end it", now);
  }

  std::uint64_t exchange_count() const {
    return stage_->phase_count() + stage_->control_byte_count();
  }

  void say(const std::string& line) {
    if (transcript_) transcript_(fmt::format("{:>14.6f} ms  {}", to_ms(stage_->now()), line));
  }

  // ---- actions

  void perform(const Action& action) {
    switch (action.kind) {
      case ActionKind::kCommand: submit(action, false); return;
      case ActionKind::kAbort:
      case ActionKind::kAbortTag:
      case ActionKind::kClearQueue:
      case ActionKind::kDeviceReset: manage(action); return;
      case ActionKind::kBusReset: {
        ++messages_;
        say(to_text(action));
        oracle_.bus_reset(stage_->now());
        stage_->host(action.host).reset_bus();
        return;
      }
      case ActionKind::kDeaf:
        say(to_text(action));
        oracle_.set_deaf(action.host, action.count != 0);
        stage_->host(action.host).set_deaf(action.count != 0);
        return;
      case ActionKind::kAwait: return;
    }
  }

  /// The action with the tag that its host gives it. It is the unused tag that became free last, so
  /// that a tag is in use again as soon as possible.
  const Action& tagged(const Action& action) {
    if (!action.free_tag) return action;
    Tags& tags = tags_[action.host];
    if (tags.free.empty()) tags.free.push_back(tags.fresh++);
    tagged_.push_back(action);
    tagged_.back().tag = tags.free.back();
    tags.free.pop_back();
    return tagged_.back();
  }

  void count_limits(const Ticket& ticket, const Completion& completion) {
    const Request& request = ticket.request;
    if (request.limit == 0 || completion.outcome != Outcome::kComplete) return;
    ++limits_.commands;
    const bool is_read = request.operation == Operation::kRead;
    auto& ends = is_read ? limits_.reads : limits_.writes;
    if (completion.status == 0) {
      if (is_read && completion.bytes_moved < request.data_bytes) ++ends[0];
      return;
    }
    const Bytes& sense = completion.sense;
    const bool timed_out = sense.size() >= 14 && (sense[2] & 0x0FU) == 0xB && sense[12] == 0x2E;
    if (timed_out) ++ends.at(sense[13] % ends.size());
  }

  Ticket& submit(const Action& asked, bool polite) {
    const Action& action = tagged(asked);
    Ticket& ticket = oracle_.submit(action, stage_->now(), polite);
    any_provoked_ = any_provoked_ || ticket.provoked;
    say(fmt::format("h{} sends {}", action.host, oracle_.name(ticket)));
    initiator::Command command;
    command.lun = action.lun;
    command.cdb = action.cdb;
    command.tag_type = action.tag_type;
    command.tag = action.tag;
    command.extended_tag = action.long_tag;
    command.may_disconnect = action.may_disconnect;
    command.auto_sense = action.auto_sense;
    command.messages = action.messages;
    command.parity_faults = action.parity_faults;
    set_data(ticket, &command);
    command.sent = [this, &ticket](Picoseconds at) { oracle_.arrived(ticket, at); };
    command.done = [this, &ticket, &action](const Completion& completion) {
      say(fmt::format("{}: {}", oracle_.name(ticket), Oracle::outcome(completion)));
      if (stage_->host(action.host).question_count() != questions_[action.host]) {
        questions_[action.host] = stage_->host(action.host).question_count();
        oracle_.may_have_told(action.host, stage_->now());
      }
      hear_questions();
      oracle_.ended(ticket, completion, completion.times.finished);
      if (action.free_tag) tags_[action.host].free.push_back(action.tag);
      count_limits(ticket, completion);
      if (last_polite_ == &ticket) polite_outcome_ = completion;
    };
    stage_->host(action.host).submit(action, std::move(command));
    return ticket;
  }

  void set_data(const Ticket& ticket, initiator::Command* command) const {
    Bytes data = oracle_.data_of(ticket);
    if (!data.empty()) {
      command->direction = initiator::Direction::kOut;
      command->data = std::move(data);
      return;
    }
    const std::uint64_t most = std::uint64_t{1} << 24U;
    const bool is_read = ticket.request.operation == Operation::kRead;
    const std::uint64_t length =
        is_read ? std::min(ticket.request.data_bytes, most) : ticket.action->allocation;
    if (length == 0) return;
    command->direction = initiator::Direction::kIn;
    command->length = static_cast<std::uint32_t>(length);
  }

  void manage(const Action& action) {
    ++messages_;
    say(to_text(action));
    oracle_.manage(action, stage_->now());
    initiator::Management management;
    switch (action.kind) {
      case ActionKind::kAbort: management.kind = initiator::ManagementKind::kAbort; break;
      case ActionKind::kAbortTag: management.kind = initiator::ManagementKind::kAbortTag; break;
      case ActionKind::kClearQueue: management.kind = initiator::ManagementKind::kClearQueue; break;
      default: management.kind = initiator::ManagementKind::kBusDeviceReset;
    }
    management.lun = action.lun;
    management.tag = action.tag;
    management.done = [this, &action](const Completion& completion) {
      say(fmt::format("{}: {}", to_text(action), initiator::outcome_name(completion.outcome)));
      oracle_.managed(action, completion, completion.times.finished);
      if (action.kind == ActionKind::kDeviceReset) end_agreements(completion);
    };
    stage_->host(action.host).manage(std::move(management));
  }

  /// BUS DEVICE RESET ends the agreements (SCSI-2 6.6.21). After another message, or after a
  /// parity error, the drive may not have taken it.
  void end_agreements(const Completion& reset) {
    const bool is_certain = reset.outcome == initiator::Outcome::kComplete;
    for (std::size_t i = 0; i < storyline_.hosts.size(); ++i) {
      Host& host = stage_->host(i);
      is_certain ? host.forget_agreement() : host.doubt_agreement();
    }
  }

  /// Takes the sense data of host adapters' own commands.
  void hear_questions() {
    for (std::size_t i = 0; i < storyline_.hosts.size(); ++i) {
      for (const auto& sense : stage_->host(i).take_overheard()) oracle_.overheard(i, sense);
    }
  }

  std::size_t out_count(std::size_t host) { return stage_->host(host).out_count(); }

  void await(const Action& action) {
    const Picoseconds end = last_ + kAwaitLimit;
    while (out_count(action.host) > action.count && last_ < end) {
      last_ += kPoll;
      if (!run_until(last_)) return;
    }
  }

  // ---- calm

  bool all_idle() {
    for (std::size_t i = 0; i < storyline_.hosts.size(); ++i) {
      if (!stage_->host(i).idle()) return false;
    }
    return true;
  }

  void calm() {
    say("calm");
    for (std::size_t i = 0; i < storyline_.hosts.size(); ++i) {
      oracle_.set_deaf(i, false);
      stage_->host(i).set_deaf(false);
    }
    collect_sense();
    if (!await_all()) return;
    for (std::uint8_t i = 0; i < storyline_.hosts.size(); ++i) {
      if (!be_polite(i, {0x17, 0, 0, 0, 0, 0})) return;
    }
    if (!be_polite(0, {0x1B, 0, 0, 0, 1, 0})) return;
    // SCSI-2 9.2.1: media whose format was cut short require another. That takes hours on a large
    // drive, and fails on one that cannot write everywhere.
    const bool cannot_format = capacity_.blocks > kPreparedBlocksMax || fails_writes();
    if (oracle_.may_be_corrupt() && cannot_format) return;
    if (oracle_.may_be_corrupt() && !be_polite(0, {0x04, 0, 0, 0, 0, 0}, kNoSpare)) return;
    for (std::uint8_t i = 0; i < storyline_.hosts.size(); ++i) {
      if (!be_polite(i, {0x00, 0, 0, 0, 0, 0})) return;
      if (!read_and_write(i)) return;
    }
    if (!be_polite(0, {0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0})) return;
    if (!find_lost_writes()) return;
    if (!be_polite(0, sense_all_pages(), 0, kModesBytes)) return;
    run_until(stage_->now() + kPicosecondsPerMillisecond);
    if (over()) return;
    if (stage_->phase() != bus::Phase::kBusFree) {
      oracle_.report("bus not free", "nobody has a command, and the bus is not free",
                     "BUS FREE phase", stage_->now());
    }
    oracle_.check_media(stage_->now());
    check_kept_area();
  }

  /// Checks that no write with GOOD is missing unless a deferred error reported it.
  bool find_lost_writes() {
    if (!fails_writes()) return true;
    for (std::uint8_t i = 0; i < storyline_.hosts.size(); ++i) {
      if (!be_polite(i, {0x00, 0, 0, 0, 0, 0})) return false;
    }
    oracle_.confirm_untold();
    // With a map the block may lie on the sector of another flaw.
    if (oracle_.may_map()) return true;
    for (const FlawSetup& flaw : storyline_.flaws) {
      if (flaw.fails_writes() && !be_polite(0, read_or_write_10(0x28, flaw.lba, 1))) return false;
    }
    return true;
  }

  bool fails_writes() const {
    return std::any_of(storyline_.flaws.begin(), storyline_.flaws.end(),
                       [](const FlawSetup& flaw) { return flaw.fails_writes(); });
  }

  /// Ends all contingent allegiances by commands.
  void collect_sense() {
    for (std::uint8_t i = 0; i < storyline_.hosts.size(); ++i) {
      submit(polite_action(i, {0x03, 0, 0, 0, 18, 0}, 18), true);
    }
  }

  /// A host that waits for long asks for the reason. Sense data that it never fetched may hold up
  /// its nexus, or another host may have cleared its commands.
  void ask_why() {
    for (std::uint8_t i = 0; i < storyline_.hosts.size(); ++i) {
      if (stage_->host(i).idle()) continue;
      submit(polite_action(i, {0x03, 0, 0, 0, 18, 0}, 18), true);
    }
  }

  /// Ends commands whose end a host cannot have received, by ABORT. False when it should have
  /// received one.
  bool abort_lost() {
    for (std::uint8_t i = 0; i < storyline_.hosts.size(); ++i) {
      std::uint32_t units = 0;
      for (const Ticket& ticket : oracle_.tickets()) {
        if (ticket.action->host != i || ticket.ended != kOpen) continue;
        // Commands that wait in the host adapter wait for those.
        if (ticket.arrived != kOpen && !ticket.may_be_lost) return false;
        // The host's own opening may name any unit.
        const std::uint32_t named = ticket.action->own_opening ? 0xFFU : 1U << ticket.action->lun;
        if (ticket.arrived != kOpen) units |= named;
      }
      if (stage_->host(i).idle()) continue;
      if (units == 0) return false;
      for (std::uint8_t lun = 0; lun < 8; ++lun) {
        if ((units >> lun & 1U) == 0) continue;
        Action& abort = polite_action(i, {}, 0);
        abort.kind = ActionKind::kAbort;
        abort.lun = lun;
        manage(abort);
      }
    }
    return true;
  }

  bool await_all() {
    const drive::Design& design = drive_named(storyline_.drive).design;
    std::size_t out = 0;
    for (std::size_t i = 0; i < storyline_.hosts.size(); ++i) out += out_count(i);
    const auto formats =
        std::count_if(oracle_.tickets().begin(), oracle_.tickets().end(), [](const Ticket& ticket) {
          return ticket.ended == kOpen && ticket.request.operation == Operation::kFormat;
        });
    const Picoseconds limit = kCalm + static_cast<std::int64_t>(out) * kCalmEach +
                              formats * kFormatLimit +
                              from_ms(2 * (design.spin_up_ms + design.spin_down_ms));
    if (wait_idle(limit)) return true;
    // The remaining commands were cleared by others, perhaps again and again.
    for (std::uint32_t round = 0; round < kAbortsMax && !over() && abort_lost(); ++round) {
      if (wait_idle(limit)) return true;
    }
    if (!over()) report_unended(limit);
    return false;
  }

  /// Number of commands that have not ended, without those by which hosts ask for reasons.
  std::size_t unended_count() const {
    const auto& tickets = oracle_.tickets();
    return static_cast<std::size_t>(std::count_if(
        tickets.begin(), tickets.end(),
        [](const Ticket& ticket) { return ticket.ended == kOpen && !ticket.polite; }));
  }

  /// @return whether all hosts are idle by then. They ask for reasons, at ever longer intervals as
  ///   long as nothing ends. Each command that fails suspends its nexus until its host asks again.
  bool wait_idle(Picoseconds limit) {
    const Picoseconds end = stage_->now() + limit;
    Picoseconds pause = kPicosecondsPerSecond;
    Picoseconds ask_at = stage_->now() + pause;
    std::size_t unended = unended_count();
    while (!all_idle() && stage_->now() < end) {
      if (stage_->now() >= ask_at) {
        ask_why();
        pause = unended_count() < unended ? kPicosecondsPerSecond : 2 * pause;
        unended = unended_count();
        ask_at += pause;
      }
      if (!run_until(stage_->now() + kPicosecondsPerMillisecond)) return false;
    }
    return all_idle() && !over();
  }

  void report_unended(Picoseconds limit) {
    oracle_.report(
        "never ended",
        fmt::format("{:.0f} s after the last action, not ended: {}; the bus is in {}",
                    to_ms(limit) / 1000, unended_text(), bus::phase_name(stage_->phase())),
        "every command ends, once", stage_->now());
  }

  std::string unended_text() const {
    std::string text;
    std::size_t count = 0;
    for (const Ticket& ticket : oracle_.tickets()) {
      if (ticket.ended != kOpen) continue;
      if (++count <= 5) text += (text.empty() ? "" : "; ") + oracle_.name(ticket);
    }
    if (count > 5) text += fmt::format("; and {} more", count - 5);
    return count == 0 ? "a management message" : text;
  }

  /// MODE SENSE(10) of the current values of all pages.
  static Bytes sense_all_pages() {
    return {0x5A, 0x08, 0x3F, 0xFF, 0, 0, 0, kModesBytes >> 8U, kModesBytes & 0xFFU, 0};
  }

  /// Checks the sectors that the drive keeps for itself.
  void check_kept_area() {
    const std::string fault = places_.find_fault();
    if (fault.empty()) return;
    oracle_.report("kept area", "after the storm, " + fault,
                   "the drive's own sectors say where its blocks lie", stage_->now());
  }

  Action& polite_action(std::uint8_t host, Bytes cdb, std::uint32_t allocation) {
    Action action;
    action.host = host;
    action.cdb = std::move(cdb);
    action.allocation = allocation;
    polite_.push_back(std::move(action));
    return polite_.back();
  }

  /// Sends a command until it ends with GOOD, or with `sense`, as hosts do after a unit attention
  /// or BUSY.
  bool be_polite(std::uint8_t host, const Bytes& cdb, std::uint16_t sense = 0,
                 std::uint32_t allocation = 0) {
    for (int i = 0; i < kPoliteTries; ++i) {
      polite_outcome_.reset();
      last_polite_ = &submit(polite_action(host, cdb, allocation), true);
      if (!await_all()) return false;
      if (over()) return false;
      if (polite_outcome_ && is_done(*polite_outcome_, sense)) return true;
      const Picoseconds wait = oracle_.may_be_corrupt() ? kPicosecondsPerSecond : kPoliteWait;
      if (i > 3 && !run_until(stage_->now() + wait)) return false;
    }
    oracle_.report(
        "not alive",
        fmt::format("after the storm, {} ends {} times with {}", oracle_.name(*last_polite_),
                    kPoliteTries, polite_outcome_ ? Oracle::outcome(*polite_outcome_) : "nothing"),
        "GOOD, when the unit attentions are collected", stage_->now());
    return false;
  }

  static bool is_done(const Completion& completion, std::uint16_t sense) {
    if (completion.outcome != Outcome::kComplete) return false;
    if (completion.status == 0) return true;
    const Bytes& data = completion.sense;
    return sense != 0 && data.size() >= 14 && (data[12] << 8U | data[13]) == sense;
  }

  /// Reads and writes around the places of the storyline.
  bool read_and_write(std::uint8_t host) {
    std::uint32_t lba = 16U * host;
    for (const Ticket& ticket : oracle_.tickets()) {
      if (ticket.operation == 0) continue;
      const auto first = static_cast<std::uint32_t>(ticket.request.lba);
      if (is_sound(first, 4)) lba = first;
    }
    if (!is_sound(lba, 4)) return true;
    return be_polite(host, read_or_write_10(0x2A, lba, 4)) &&
           be_polite(host, read_or_write_10(0x28, lba, 4));
  }

  static Bytes read_or_write_10(std::uint8_t code, std::uint32_t lba, std::uint8_t blocks) {
    const auto byte = [lba](unsigned shift) { return static_cast<std::uint8_t>(lba >> shift); };
    return {code, 0, byte(24), byte(16), byte(8), byte(0), 0, 0, blocks, 0};
  }

  bool has_flaw(media::SectorIndex sector) const {
    return std::any_of(
        storyline_.flaws.begin(), storyline_.flaws.end(), [&](const FlawSetup& flaw) {
          return flaw.lba < capacity_.blocks && stage_->sector_of(flaw.lba) == sector;
        });
  }

  bool is_sound(std::uint32_t lba, std::uint32_t blocks) const {
    if (lba + blocks > capacity_.blocks) return false;
    // With a map, any block may lie on the sector of a flaw.
    if (oracle_.may_map() && !storyline_.flaws.empty()) return false;
    return std::none_of(storyline_.flaws.begin(), storyline_.flaws.end(),
                        [&](const FlawSetup& flaw) { return flaw.lba - lba < blocks; });
  }

  const Storyline& storyline_;
  const Transcript& transcript_;
  Capacity capacity_;
  std::deque<Action> polite_;
  std::unique_ptr<Stage> stage_;
  Places places_;
  Oracle oracle_;
  std::size_t next_ = 0;  // number of the next action
  Picoseconds last_ = 0;  // when the last action was due
  Picoseconds sliced_ = 0;
  std::uint32_t looks_ = 0;  // calls of check_health()
  std::uint64_t messages_ = 0;
  LimitTotals limits_;
  struct Tags {
    std::vector<std::uint16_t> free;
    std::uint16_t fresh = 0;
  };
  std::array<Tags, Attentions::kHosts> tags_{};
  std::deque<Action> tagged_;
  bool any_provoked_ = false;
  std::array<std::uint64_t, Attentions::kHosts> questions_{};
  bool given_up_ = false;
  std::size_t ended_ = 0;
  std::uint64_t exchanged_ = 0;
  std::uint64_t held_count_ = 0;  // exchange_count() when the bus entered its phase
  Picoseconds held_since_ = 0;
  const Ticket* last_polite_ = nullptr;
  std::optional<Completion> polite_outcome_;
};

}  // namespace

void Totals::add(const Totals& other) {
  storylines += other.storylines;
  commands += other.commands;
  messages += other.messages;
  phases += other.phases;
  limits.commands += other.limits.commands;
  for (std::size_t i = 0; i < limits.reads.size(); ++i) {
    limits.reads.at(i) += other.limits.reads.at(i);
    limits.writes.at(i) += other.limits.writes.at(i);
  }
}

std::uint64_t LimitTotals::ended() const {
  return std::accumulate(reads.begin(), reads.end(), std::uint64_t{0}) +
         std::accumulate(writes.begin(), writes.end(), std::uint64_t{0});
}

Played play(const Storyline& storyline, const Transcript& transcript) {
  return Player(storyline, transcript).play();
}

}  // namespace headstack::fuzz
