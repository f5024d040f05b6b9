// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/fuzz/drive/drives.hpp"

namespace headstack::fuzz {
namespace {

using initiator::Completion;
using initiator::Outcome;
using initiator::TagType;

constexpr std::uint8_t kGood = 0x00;
constexpr std::uint8_t kCheckCondition = 0x02;
/// Bit of the second byte of a FORMAT UNIT parameter list (SCSI-2 table 113).
constexpr std::uint8_t kFormatImmediate = 0x02;
constexpr std::uint8_t kBusy = 0x08;
constexpr std::uint8_t kReservationConflict = 0x18;
constexpr std::uint8_t kQueueFull = 0x28;

// Messages (SCSI-2 table 10).
constexpr std::uint8_t kMessageReject = 0x07;
constexpr std::uint8_t kBusDeviceReset = 0x0C;
constexpr std::uint8_t kClearQueue = 0x0E;

/// A command without disconnect privilege may hold the bus this long, and as long as its own blocks
/// take.
constexpr Picoseconds kPatience = kPicosecondsPerSecond;
/// Every command ends within this time, plus kWaitEach for each outstanding one. A format of a
/// storyline's drive takes kFormatWait at most.
constexpr Picoseconds kWait = 20 * kPicosecondsPerSecond;
constexpr Picoseconds kWaitEach = kPicosecondsPerSecond;
constexpr Picoseconds kFormatWait = 10 * kPicosecondsPerSecond;

/// Whether the message gives its command's urgency, which changes only the order
/// (firmware/target/message.h).
bool is_urgency(const Bytes& message) {
  constexpr std::size_t kBytes = 10;
  const bool is_whole = message.size() == kBytes && message[0] == 0x01 && message[1] == kBytes - 2;
  return is_whole && message[2] == 0x81 && message[7] < 2 && message[9] < 16;
}

bool says_odd_things(const Action& action) {
  return action.own_opening || !action.interjections.empty() || !action.refusal.empty() ||
         !std::all_of(action.messages.begin(), action.messages.end(), is_urgency);
}

bool misbehaves(const Action& action) {
  return !action.parity_faults.empty() || says_odd_things(action);
}

/// The bytes of a page in a parameter list, by page code; empty when it is not there.
Bytes page_of(const Action& action, std::uint8_t code) {
  const std::size_t header = action.cdb[0] == 0x55 ? 8 : 4;
  const std::size_t descriptors =
      action.list.size() > header && action.cdb[0] == 0x15 ? action.list[3] : 0;
  for (std::size_t at = header + descriptors; at + 2 <= action.list.size();) {
    std::size_t size = 2U + action.list[at + 1];
    const bool has_subpage = (action.list[at] & 0x40U) != 0;
    if (has_subpage && at + 4 > action.list.size()) break;
    if (has_subpage) size = 4U + (action.list[at + 2] << 8U | action.list[at + 3]);
    if (at + size > action.list.size()) break;
    if (!has_subpage && (action.list[at] & 0x3FU) == code) {
      return {action.list.begin() + static_cast<std::ptrdiff_t>(at),
              action.list.begin() + static_cast<std::ptrdiff_t>(at + size)};
    }
    at += size;
  }
  return {};
}

constexpr std::size_t kTenancyPageBytes = 16;
constexpr std::uint8_t kRemapPage = 0x23;

/// Whether the drive may not, or cannot, disconnect.
bool keeps_bus(const Action& action) {
  // Other answers to DISCONNECT than MESSAGE REJECT do not refuse it.
  const bool refuses =
      action.refuses_disconnect && (action.refusal.empty() || action.refusal[0] == kMessageReject);
  return !action.may_disconnect || refuses || !action.with_attention || action.own_opening;
}

/// Whether nothing was done: BUSY and similar statuses, NOT READY, ILLEGAL REQUEST, UNIT ATTENTION.
bool is_refusal(const Completion& completion) {
  if (completion.status == kGood) return false;
  if (completion.status != kCheckCondition) return true;
  if (completion.sense.size() < 14) return false;
  const unsigned key = completion.sense[2] & 0x0FU;
  return key == 0x2 || key == 0x5 || key == 0x6;
}

/// Whether it is BUSY or QUEUE FULL (SCSI-2 7.3), so that nothing of the command was done.
bool is_turned_away(const Ticket& ticket, const Completion& completion) {
  const bool is_refused = completion.outcome == Outcome::kComplete &&
                          (completion.status == kBusy || completion.status == kQueueFull);
  return is_refused && !ticket.provoked && !ticket.odd && !ticket.hit;
}

/// Whether it is 4/32/00: formatted, except for a defect without a spare.
bool has_no_spare(const Completion& completion) {
  return completion.status == kCheckCondition && completion.sense.size() >= 14 &&
         completion.sense[12] == 0x32;
}

/// Whether a format goes on after its command: with IMMED, after an abort, or after 2/04/04. A host
/// that does not release the bus gets 2/04/04 (firmware/target/connection_command.c). That may also
/// be a refusal because of another format.
bool goes_on(const Ticket& ticket, const Completion& completion) {
  if (ticket.request.operation != Operation::kFormat) return false;
  if (completion.outcome != Outcome::kComplete) return true;
  if (completion.status == kGood) {
    const Bytes& list = ticket.action->list;
    return list.size() > 1 && (list[1] & kFormatImmediate) != 0;
  }
  const bool tells_of_format =
      completion.sense.size() >= 14 && completion.sense[12] == 0x04 && completion.sense[13] == 0x04;
  return completion.status == kCheckCondition && tells_of_format;
}

/// Page 23h (firmware/unit/mode_page.h): without units the drive has no map.
bool has_units(const Bytes& page) {
  constexpr std::size_t kUnitAt = 12;
  return page.size() > kUnitAt + 1 && (page[kUnitAt] | page[kUnitAt + 1]) != 0;
}

/// The outcome of a MODE SELECT for the pages. If its host did not receive its end, it may still be
/// carried out.
Selected selected(const Ticket& ticket, const Completion& completion) {
  if (ticket.provoked || ticket.odd) return Selected::kPerhaps;
  if (completion.outcome != Outcome::kComplete) {
    const bool was_told =
        completion.outcome == Outcome::kAborted || completion.outcome == Outcome::kBusReset;
    return was_told && !ticket.may_be_lost ? Selected::kPerhaps : Selected::kLost;
  }
  if (ticket.hit) return Selected::kPerhaps;
  if (ticket.action->lun != 0) return Selected::kRefused;
  if (completion.status == kGood) return Selected::kTaken;
  return is_refusal(completion) ? Selected::kRefused : Selected::kPerhaps;
}

/// The blocks of a REASSIGN BLOCKS list (SCSI-2 table 128).
std::vector<std::uint32_t> reassigned_by(const Action& action) {
  std::vector<std::uint32_t> blocks;
  for (std::size_t at = 4; at + 4 <= action.list.size(); at += 4) {
    const std::uint8_t* bytes = action.list.data() + at;
    blocks.push_back(std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
                     std::uint32_t{bytes[2]} << 8U | bytes[3]);
  }
  return blocks;
}

}  // namespace

Oracle::Oracle(const Storyline& storyline, Capacity capacity, bool blank, Peek peek, bool follows)
    : storyline_(storyline),
      capacity_(capacity),
      blank_(blank),
      peek_(std::move(peek)),
      follows_(follows) {
  attentions_.raise(Attention::kPowerOn, Attentions::kNobody, 0);
  attentions_.reset_happened(nullptr, 0);
  may_be_stopped_ = !storyline.at_speed;
}

void Oracle::report(const std::string& kind, const std::string& what, const std::string& expected,
                    Picoseconds at) {
  if (!finding_) finding_ = Finding{kind, what, expected, at};
}

std::string Oracle::name(const Ticket& ticket) const {
  std::string text = fmt::format("command {} (h{} {}", ticket.number, ticket.action->host,
                                 describe_cdb(ticket.action->cdb));
  switch (ticket.action->tag_type) {
    case TagType::kUntagged: text += ", untagged"; break;
    case TagType::kSimple: text += ", simple"; break;
    case TagType::kHeadOfQueue: text += ", head of queue"; break;
    case TagType::kOrdered: text += ", ordered"; break;
  }
  if (ticket.action->tag_type != TagType::kUntagged) text += fmt::format(" {}", ticket.action->tag);
  if (ticket.action->lun != 0) text += fmt::format(", lun {}", ticket.action->lun);
  return text + ")";
}

std::string Oracle::outcome(const Completion& completion) {
  if (completion.outcome != Outcome::kComplete) return initiator::outcome_name(completion.outcome);
  switch (completion.status) {
    case kGood: return "GOOD";
    case kBusy: return "BUSY";
    case kReservationConflict: return "RESERVATION CONFLICT";
    case kQueueFull: return "QUEUE FULL";
    case kCheckCondition: break;
    default: return fmt::format("status {:02X}h", completion.status);
  }
  const Bytes& sense = completion.sense;
  if (sense.size() < 14) return "CHECK CONDITION without sense data";
  return fmt::format("CHECK CONDITION {}{:X}/{:02X}/{:02X}",
                     (sense[0] & 0x7FU) == 0x71 ? "deferred " : "", sense[2] & 0x0FU, sense[12],
                     sense[13]);
}

void Oracle::object(const Ticket& ticket, const Completion& completion, const std::string& kind,
                    const std::string& expected, Picoseconds at) {
  report(kind, fmt::format("{} ended with {}", name(ticket), outcome(completion)), expected, at);
}

// ------------------------------------------------------------------------ from hosts to the drive

Ticket& Oracle::submit(const Action& action, Picoseconds at, bool polite) {
  Ticket ticket;
  ticket.number = tickets_.size() + 1;
  ticket.action = &action;
  ticket.request = request_of(action.cdb, capacity_);
  ticket.polite = polite;
  ticket.provoked = misbehaves(action);
  ticket.submitted = at;
  ticket.odd = says_odd_things(action);
  const Request& request = ticket.request;
  const bool is_write = request.operation == Operation::kWrite;
  const bool in_range = request.lba + request.blocks <= capacity_.blocks && request.blocks != 0;
  // The host's own opening may name logical unit 0 nevertheless.
  const bool may_be_there = action.lun == 0 || action.own_opening;
  if (may_be_there && in_range && (is_write || request.operation == Operation::kRead)) {
    BlockOperation operation;
    operation.is_write = is_write;
    operation.host = action.host;
    operation.attribute = action.tag_type;
    operation.lba = static_cast<std::uint32_t>(request.lba);
    operation.blocks = request.blocks;
    ticket.operation = blocks_.add(operation);
    // If the host does not know the nexus whose data the drive requests, it sends anything.
    if (is_write && action.own_opening) {
      blocks_.forget(operation.lba, operation.blocks, kOpen);
    }
  }
  ticket.hit = odd_out_[action.host] != 0;
  if (ticket.odd) {
    ++odd_out_[action.host];
    was_odd_[action.host] = true;
  }
  if (!action.auto_sense) careless_[action.host] = true;
  ticket.may_be_lost = ticket.provoked || !action.auto_sense || deaf_[action.host];
  tickets_.push_back(ticket);
  note_modes_sent(tickets_.back());
  tickets_.back().tenancy_version = tenancy_.version();
  tickets_.back().modes_version = modes_.version();
  begin_attentions(action, at);
  note_odd_messages(action, at);
  return tickets_.back();
}

Bytes Oracle::data_of(const Ticket& ticket) const {
  if (ticket.request.operation != Operation::kWrite) return ticket.action->list;
  const std::uint64_t most = std::uint64_t{1} << 24U;
  Bytes data(static_cast<std::size_t>(std::min(ticket.request.data_bytes, most)));
  const auto lba = static_cast<std::uint32_t>(ticket.request.lba);
  for (std::uint32_t i = 0; std::size_t{i + 1} * capacity_.block_bytes <= data.size(); ++i) {
    fill_block(data.data() + std::size_t{i} * capacity_.block_bytes, capacity_.block_bytes, lba + i,
               ticket.operation);
  }
  return data;
}

/// Notes the modes that may be in force once the drive has this command.
void Oracle::note_modes_sent(Ticket& ticket) {
  const Action& action = *ticket.action;
  const Operation operation = ticket.request.operation;
  if (operation == Operation::kStop || operation == Operation::kStart) may_be_stopped_ = true;
  if (operation == Operation::kStart) stopped_since_ = kOpen;
  if (operation == Operation::kFormat) {
    may_be_formatting_ = has_formatted_[action.host] = true;
    modes_.format();
    ++formats_;
    ++formats_out_;
  }
  if (operation == Operation::kDiagnose) may_be_formatting_ = true;
  if (operation == Operation::kReassign) {
    for (const std::uint32_t lba : reassigned_by(action)) moved_.push_back(lba);
  }
  if (operation != Operation::kModeSelect) return;
  note_limits_sent(ticket);
  modes_.sent(action);
  if (has_units(page_of(action, kRemapPage))) may_map_ = true;
  if (!page_of(action, 0x02).empty()) tenancy_.sent();
  const Bytes caching = page_of(action, 0x08);
  if (caching.size() > 2 && (caching[2] & 0x04U) != 0) may_cache_writes_ = true;
  const Bytes control = page_of(action, 0x0A);
  if (control.size() <= 3) return;
  ticket.selects_control = true;
  if (control[3] >> 4U != 0) {
    ticket.unrestricts = true;
    ++unrestricting_;
    was_unrestricted_ = true;
    restricted_ = false;
    if ((action.cdb[1] & 0x01U) != 0) saved_unrestricted_ = true;
  }
  const unsigned queue_error = control[3] >> 1U & 3U;
  if (queue_error == 1) may_clear_others_ = true;
  if (queue_error != 0) may_abort_own_ = true;
}

/// Reordering is certainly restricted if the last MODE SELECT set that, and none that sets
/// otherwise was out beside it.
void Oracle::note_modes_ended(const Ticket& ticket, const Completion& completion) {
  if (ticket.request.operation != Operation::kModeSelect) return;
  const bool good = completion.is_good();
  const bool is_refused = is_turned_away(ticket, completion);
  note_limits_ended(ticket, good, is_refused);
  modes_.ended(*ticket.action, selected(ticket, completion));
  const Bytes page = page_of(*ticket.action, 0x02);
  const bool is_heard = ticket.action->lun == 0 && !ticket.provoked && !ticket.hit;
  if (!page.empty() && is_refused) {
    tenancy_.refused();
  } else if (!page.empty()) {
    tenancy_.ended(page, good && is_heard && page.size() == kTenancyPageBytes);
  }
  if (ticket.unrestricts && !ticket.may_be_lost) {
    --unrestricting_;
    unrestricted_until_ = ticket.ended;
  }
  const bool alone = unrestricting_ == 0 && unrestricted_until_ <= ticket.submitted;
  const Bytes control = page_of(*ticket.action, 0x0A);
  const bool restricts = control.size() > 3 && control[3] >> 4U == 0;
  if (good && alone && restricts && !saved_unrestricted_) restricted_ = true;
}

bool Oracle::is_queue_error_open(const Ticket& ticket) const {
  return std::any_of(tickets_.begin(), tickets_.end(), [&](const Ticket& other) {
    const bool is_own = other.selects_control && other.action->host == ticket.action->host;
    return is_own && other.arrived != kOpen && other.ended >= ticket.arrived;
  });
}

// ---- limits of duration

namespace {

/// Qualifier of 2E: the limit passed while an error was being recovered.
constexpr std::uint8_t kDuringRecovery = 0x03;
constexpr std::uint8_t kLimitPages[] = {0x07, 0x08};  // T2A for reads, T2B for writes

std::optional<LimitPage> limit_page(const Action& action, std::size_t which) {
  const std::size_t header = action.cdb[0] == 0x55 ? 8 : 4;
  return limit_page_of(action.list, header, kLimitPages[which]);
}

}  // namespace

void Oracle::note_limits_sent(const Ticket& ticket) {
  for (std::size_t which = 0; which < 2; ++which) {
    const auto page = limit_page(*ticket.action, which);
    if (page) limits_[ticket.action->host].at(which).sent(*page);
  }
}

void Oracle::note_limits_ended(const Ticket& ticket, bool good, bool is_refused) {
  for (std::size_t which = 0; which < 2; ++which) {
    const auto page = limit_page(*ticket.action, which);
    const bool is_certain = good && ticket.action->lun == 0 && !ticket.provoked && !ticket.hit;
    if (!page) continue;
    Limits& limits = limits_[ticket.action->host].at(which);
    is_refused ? limits.refused() : limits.ended(*page, is_certain);
  }
}

void Oracle::forget_limits() {
  tenancy_.forget();
  modes_.reset();
  for (auto& of_host : limits_) {
    for (Limits& limits : of_host) limits.forget();
  }
}

const Limits& Oracle::limits_of(const Ticket& ticket) const {
  const bool writes = ticket.request.operation == Operation::kWrite;
  return limits_[ticket.action->host].at(writes ? 1 : 0);
}

/// The reason why a limit cannot have ended the command, or not at this time; empty when it can.
std::string Oracle::find_limit_error(const Ticket& ticket, std::uint8_t qualifier) const {
  const bool recovers = qualifier == kDuringRecovery;
  if (recovers && !is_flawed(static_cast<std::uint32_t>(ticket.request.lba), ticket.request.blocks))
    return "the media are good where it went, and nothing was to be recovered";
  const std::optional<LimitEnds> ends = ends_of(ticket);
  if (ends && ticket.request.limit != 0) {
    const auto named = recovers ? ends->recovery_abort : ends->abort;
    if (!named) return "no limit of its descriptor aborts it so";
    if (ticket.ended - ticket.arrived >= *named) return {};
    return fmt::format("its descriptor's limit is {} us, and it ended {} us after its arrival",
                       *named / 1'000'000, (ticket.ended - ticket.arrived) / 1'000'000);
  }
  const auto soonest = limits_of(ticket).soonest_abort();
  if (ticket.request.limit == 0) return "it named no descriptor of duration limits";
  if (!soonest) return "its host has set no limit that aborts commands";
  if (ticket.arrived == kOpen || ticket.ended - ticket.arrived >= *soonest) return {};
  return fmt::format("the least limit of its host is {} us, and it ended {} us after its arrival",
                     *soonest / 1'000'000, (ticket.ended - ticket.arrived) / 1'000'000);
}

/// How its descriptor may end the command, if that is certain: nothing has changed the page
/// meanwhile.
std::optional<LimitEnds> Oracle::ends_of(const Ticket& ticket) const {
  const bool is_calm = !ticket.hit && !ticket.provoked && ticket.arrived != kOpen;
  if (!is_calm || ticket.limits_version != limits_of(ticket).version()) return std::nullopt;
  return ticket.limit_ends;
}

bool Oracle::may_be_unavailable(const Ticket& ticket) const {
  const std::optional<LimitEnds> ends = ends_of(ticket);
  if (ends && ticket.request.limit != 0) {
    return ends->unavailable && ticket.ended - ticket.arrived >= *ends->unavailable;
  }
  const auto soonest = limits_of(ticket).soonest_unavailable();
  return ticket.request.limit != 0 && soonest && ticket.ended - ticket.arrived >= *soonest;
}

/// Begins the unit attentions that an action of this host may cause for others, until it ends.
void Oracle::begin_attentions(const Action& action, Picoseconds at) {
  switch (action.kind) {
    case ActionKind::kClearQueue:
      return attentions_.begin(&action, Attention::kCleared, action.host, at);
    case ActionKind::kDeviceReset:
      return attentions_.begin(&action, Attention::kDeviceReset, Attentions::kNobody, at);
    case ActionKind::kCommand: break;
    default: return;
  }
  switch (request_of(action.cdb, capacity_).operation) {
    case Operation::kModeSelect:
      return attentions_.begin(&action, Attention::kModes, action.host, at);
    case Operation::kLogSelect:
      return attentions_.begin(&action, Attention::kLogs, action.host, at);
    case Operation::kFormat: return attentions_.begin(&action, Attention::kMedium, action.host, at);
    default: return;
  }
}

/// A host's message may also end its other commands, or all commands. A host adapter that receives
/// MESSAGE REJECT may give up more than one.
void Oracle::note_odd_messages(const Action& action, Picoseconds at) {
  if (action.kind != ActionKind::kCommand || !says_odd_things(action)) return;
  const auto is_own = [&](const Ticket& ticket) { return ticket.action->host == action.host; };
  mark_hit(is_own);
  mark_lost(is_own);
  const auto has = [&](std::uint8_t code) {
    const auto in = [code](const Bytes& bytes) {
      return std::find(bytes.begin(), bytes.end(), code) != bytes.end();
    };
    return std::any_of(action.messages.begin(), action.messages.end(), in) || in(action.opening) ||
           std::any_of(action.interjections.begin(), action.interjections.end(),
                       [&](const Interjection& one) { return in(one.message); });
  };
  const bool clears = has(kClearQueue);
  const bool resets = has(kBusDeviceReset);
  if (clears) attentions_.begin_many(&action, Attention::kCleared, action.host, at);
  if (resets) attentions_.begin_many(&action, Attention::kDeviceReset, Attentions::kNobody, at);
  if (resets) forget_limits();
  if (clears || resets) {
    mark_hit([](const Ticket&) { return true; });
    mark_lost([](const Ticket&) { return true; });
  }
}

void Oracle::arrived(Ticket& ticket, Picoseconds at) {
  ticket.arrived = at;
  ticket.overlapped = std::any_of(tickets_.begin(), tickets_.end(), [&](const Ticket& other) {
    const Action& mine = *ticket.action;
    const Action& its = *other.action;
    if (&other == &ticket || other.arrived == kOpen || other.ended != kOpen) return false;
    // The host's own opening may name any unit.
    const bool may_be_one_unit = its.lun == mine.lun || its.own_opening || mine.own_opening;
    if (its.host != mine.host || !may_be_one_unit) return false;
    const bool both_tagged =
        mine.tag_type != TagType::kUntagged && its.tag_type != TagType::kUntagged;
    return !both_tagged || mine.tag == its.tag;
  });
  if (ticket.overlapped) {
    const auto is_meant = [&](const Ticket& other) {
      return other.action->host == ticket.action->host;
    };
    mark_hit(is_meant);
    // The command's sense data report it, unless they report another action of the host.
    if (!ticket.action->auto_sense || ticket.provoked) mark_lost(is_meant);
  }
  if (ticket.request.operation == Operation::kReserve) may_hold_[ticket.action->host] = true;
  ticket.latest = limits_of(ticket).latest(ticket.request.limit);
  ticket.limit_ends = limits_of(ticket).ends(ticket.request.limit);
  ticket.limits_version = limits_of(ticket).version();
  if (ticket.operation != 0) blocks_.arrive(ticket.operation, at, restricted_);
}

void Oracle::mark_hit(const std::function<bool(const Ticket&)>& is_meant) {
  for (Ticket& ticket : tickets_) {
    if (ticket.ended == kOpen && is_meant(ticket)) ticket.hit = true;
  }
}

void Oracle::mark_lost(const std::function<bool(const Ticket&)>& is_meant) {
  for (Ticket& ticket : tickets_) {
    const bool is_out = ticket.arrived != kOpen && ticket.ended == kOpen;
    if (is_out && is_meant(ticket)) ticket.may_be_lost = true;
  }
}

void Oracle::manage(const Action& action, Picoseconds at) {
  if (action.kind == ActionKind::kDeviceReset) forget_limits();
  begin_attentions(action, at);
  const bool of_all =
      action.kind == ActionKind::kClearQueue || action.kind == ActionKind::kDeviceReset;
  mark_hit([&](const Ticket& ticket) { return of_all || ticket.action->host == action.host; });
}

void Oracle::managed(const Action& action, const Completion& completion, Picoseconds at) {
  const bool done = completion.outcome == Outcome::kComplete;
  if (done) attentions_.end(&action, at);
  const bool of_all =
      action.kind == ActionKind::kClearQueue || action.kind == ActionKind::kDeviceReset;
  if (of_all) mark_lost([&](const Ticket& ticket) { return ticket.action->host != action.host; });
  if (done && action.kind == ActionKind::kDeviceReset) {
    forget_limits();
    attentions_.reset_happened(&action, at);
    may_hold_.fill(false);
  }
  if (completion.outcome == Outcome::kSelectionTimeOut) {
    report("no answer", fmt::format("h{}'s selection for a message timed out", action.host),
           "a drive answers a selection within 250 ms (SCSI-2 6.1.3)", at);
  }
}

void Oracle::set_deaf(std::size_t host, bool deaf) {
  deaf_[host] = deaf;
  for (Ticket& ticket : tickets_) {
    if (deaf && ticket.action->host == host) ticket.may_be_lost = true;
  }
}

void Oracle::bus_reset(Picoseconds at) {
  forget_limits();
  attentions_.raise(Attention::kBusReset, Attentions::kNobody, at);
  attentions_.reset_happened(nullptr, at);
  mark_hit([](const Ticket&) { return true; });
  may_hold_.fill(false);
  if (saved_unrestricted_ || (may_be_formatting_ && was_unrestricted_)) restricted_ = false;
}

// ------------------------------------------------------------------------ from the drive to hosts

void Oracle::end_operation(const Ticket& ticket, const Completion& completion) {
  // The drive may still have the command, and carry it out.
  if (completion.outcome == Outcome::kClearedByQueueError && may_mistake_queue_error()) return;
  const bool complete = completion.outcome == Outcome::kComplete;
  const auto lba = static_cast<std::uint32_t>(ticket.request.lba);
  Effect effect = Effect::kPossible;
  if (complete && completion.status == kGood) effect = Effect::kCertain;
  if (completion.bytes_reached == 0 && effect == Effect::kPossible) effect = Effect::kNone;
  if (is_turned_away(ticket, completion)) effect = Effect::kNone;
  const bool is_cached = may_cache_writes_ && ticket.request.operation == Operation::kWrite &&
                         !ticket.request.force_unit_access;
  const bool may_fail_later =
      effect == Effect::kCertain && is_cached && fails_writes(lba, ticket.request.blocks);
  // For the drive it may have ended with GOOD, before its host interrupted after the status. A
  // deferred error may report it, but need not.
  const bool may_have_ended =
      effect == Effect::kPossible && is_cached &&
      completion.bytes_reached / capacity_.block_bytes >= ticket.request.blocks;
  const Picoseconds at = complete ? completion.times.status : completion.times.finished;
  const std::uint32_t moved = effect == Effect::kCertain
                                  ? ticket.request.blocks
                                  : completion.bytes_reached / capacity_.block_bytes;
  if (may_fail_later) {
    effect = Effect::kPossible;
    at_risk_.push_back({ticket.operation, ticket.action->host, lba, ticket.request.blocks});
  } else if (may_have_ended) {
    at_risk_.push_back({ticket.operation, ticket.action->host, lba, ticket.request.blocks, true});
  }
  blocks_.end(ticket.operation, at, effect, moved);
}

void Oracle::ended(Ticket& ticket, const Completion& completion, Picoseconds at) {
  ticket.ended = completion.outcome == Outcome::kComplete ? completion.times.status
                                                          : completion.times.finished;
  ticket.finished = completion.times.finished;
  ++ended_count_;
  if (ticket.odd) --odd_out_[ticket.action->host];
  if (ticket.operation != 0) end_operation(ticket, completion);
  note_odd_messages(*ticket.action, at);
  // No initiator gets a report of the overlap, which has ended others.
  if (ticket.overlapped && completion.outcome != Outcome::kComplete) {
    mark_lost([&](const Ticket& other) { return other.action->host == ticket.action->host; });
  }
  // A command that its host considers lost may still be carried out by the drive.
  const bool complete = completion.outcome == Outcome::kComplete;
  const bool is_over = (complete || !ticket.may_be_lost) && !goes_on(ticket, completion);
  if (is_turned_away(ticket, completion)) {
    attentions_.cancel(ticket.action);
  } else if (is_over) {
    attentions_.end(ticket.action, ticket.ended);
  }
  const Operation operation = ticket.request.operation;
  if (operation == Operation::kFormat) --formats_out_;
  const bool good = complete && completion.status == kGood;
  if (good && operation == Operation::kRelease) may_hold_[ticket.action->host] = false;
  if (good && operation == Operation::kStop) note_stop(ticket);
  note_repair(ticket, completion);
  // The drive continues a write that its host has lost, and for which the host has no data.
  const bool is_lost = completion.outcome == Outcome::kUnexpectedBusFree ||
                       completion.outcome == Outcome::kClearedByOverlap;
  const bool is_lost_write = ticket.odd && ticket.operation != 0 && is_lost &&
                             ticket.request.operation == Operation::kWrite;
  if (is_lost_write) {
    blocks_.forget(static_cast<std::uint32_t>(ticket.request.lba), ticket.request.blocks, kOpen);
  }
  const bool silent = completion.status == kCheckCondition && completion.sense.size() < 14;
  // An abort ends a contingent allegiance and discards its sense data.
  const bool wiped = completion.status == kCheckCondition && ticket.hit;
  if (!complete || silent || wiped || ticket.provoked)
    attentions_.may_have_reported(ticket.action->host, ticket.finished);
  check_outcome(ticket, completion, at);
  note_modes_ended(ticket, completion);
}

/// SCSI-2 9.2.17: the unit is stopped from the GOOD of a stop on, also of one with IMMED. If a
/// start may have arrived after it, or may still arrive, the state is uncertain.
void Oracle::note_stop(const Ticket& stop) {
  const auto leaves_open = [&](const Ticket& other) {
    return other.request.operation == Operation::kStart &&
           (other.finished == kOpen || other.finished > stop.submitted || other.may_be_lost);
  };
  const bool is_certain = stop.action->lun == 0 && !stop.provoked && !stop.hit && !stop.odd &&
                          std::none_of(tickets_.begin(), tickets_.end(), leaves_open);
  if (is_certain && stopped_since_ == kOpen) stopped_since_ = stop.finished;
}

/// The effects of FORMAT UNIT and REASSIGN BLOCKS (SCSI-2 9.2.10). After a format that was not
/// refused, the blocks may hold anything. A reassignment keeps readable data.
void Oracle::note_repair(const Ticket& ticket, const Completion& completion) {
  const bool formats = ticket.request.operation == Operation::kFormat;
  if (!formats && ticket.request.operation != Operation::kReassign) return;
  const bool complete = completion.outcome == Outcome::kComplete;
  // After a reset the sense data report the reset instead of the command (SCSI-2 7.9).
  const bool is_untold = ticket.hit && completion.status == kCheckCondition;
  const bool refused =
      complete && is_refusal(completion) && !goes_on(ticket, completion) && !is_untold;
  if (!formats) {
    for (const std::uint32_t lba : reassigned_by(*ticket.action)) {
      // Since the command was sent, the block counts as moved.
      if (refused) moved_.erase(std::find(moved_.begin(), moved_.end(), lba));
      if (!refused && is_flawed(lba, 1)) blocks_.forget(lba, 1, ticket.ended);
    }
    return;
  }
  if (refused) {
    --formats_;
    return;
  }
  places_known_ = places_known_ && moved_.empty() && storyline_.flaws.empty() &&
                  ticket.action->list.size() <= 4;
  blocks_.forget(0, capacity_.blocks, ticket.ended);
  const bool done = complete && (completion.status == kGood || has_no_spare(completion));
  if (done && ticket.polite) formats_ = 0;
}

void Oracle::check_outcome(const Ticket& ticket, const Completion& completion, Picoseconds at) {
  switch (completion.outcome) {
    case Outcome::kSelectionTimeOut:
      return object(ticket, completion, "no answer",
                    "a drive answers a selection within 250 ms (SCSI-2 6.1.3)", at);
    case Outcome::kUnexpectedBusFree:
      if (ticket.provoked || ticket.hit) return;
      return object(ticket, completion, "bus let go",
                    "a drive leaves the bus of a well-behaved host with COMMAND COMPLETE or "
                    "DISCONNECT only (SCSI-2 6.1.1)",
                    at);
    case Outcome::kAborted:
    case Outcome::kBusReset:
      if (ticket.hit || ticket.provoked) return;
      return object(ticket, completion, "ended by nobody", "no host aborted it or reset the bus",
                    at);
    case Outcome::kClearedByUnitAttention: return;
    case Outcome::kClearedByQueueError:
      // A host adapter that cannot know ends them by ABORT TAG (host_adapter.hpp).
      if (may_abort_own_ || ticket.provoked || is_queue_error_open(ticket)) return;
      return object(ticket, completion, "ended by nobody", "QERR is 0h", at);
    case Outcome::kClearedByOverlap:
      // One of the host's own messages may have changed the tag of an earlier command.
      if (ticket.hit || ticket.provoked || was_odd_[ticket.action->host]) return;
      return object(ticket, completion, "ended by nobody", "no other command overlapped it", at);
    case Outcome::kComplete: break;
  }
  check_patience(ticket, completion, at);
  switch (completion.status) {
    case kGood: return check_good(ticket, completion, at);
    case kCheckCondition: return check_condition(ticket, completion, at);
    case kReservationConflict: {
      bool held = false;
      for (std::size_t host = 0; host < may_hold_.size(); ++host) {
        held = held || (host != ticket.action->host && may_hold_[host]);
      }
      if (held && !keeps_attention(ticket.request.operation)) return;
      return object(ticket, completion, "no reservation", "no other host holds a reservation", at);
    }
    case kBusy:
    case kQueueFull: return;
    default:
      return object(ticket, completion, "status",
                    "GOOD, CHECK CONDITION, BUSY, RESERVATION CONFLICT or QUEUE FULL (SCSI-2 7.3)",
                    at);
  }
}

/// Most time from the end of a limit to the status of a command of a well-behaved host. It covers
/// the drive's other work at that moment, and a message phase.
constexpr Picoseconds kLimitSlack = 5 * kPicosecondsPerMillisecond;

/// How long one command may hold the bus.
Picoseconds Oracle::patience_for(const Ticket& ticket) const {
  const drive::Design& design = drive_named(storyline_.drive).design;
  const Picoseconds revolution = from_ms(60'000.0 / design.rpm);
  const std::uint32_t least_sectors = design.zones.back().sectors_per_track;
  Picoseconds limit = kPatience;
  limit += 2 * revolution * (1 + static_cast<std::int64_t>(ticket.request.blocks / least_sectors));
  limit += 20 * revolution * static_cast<std::int64_t>(storyline_.flaws.size());
  if (ticket.request.operation == Operation::kFormat) {
    // Each track is written and read back, and the heads move.
    limit += 6 * revolution * static_cast<std::int64_t>(design.cylinders * design.heads);
  }
  if (may_be_stopped_) limit += from_ms(2 * design.spin_up_ms + design.spin_down_ms);
  return limit;
}

/// Checks that no command holds the bus from others for long.
void Oracle::check_patience(const Ticket& ticket, const Completion& completion, Picoseconds at) {
  if (!keeps_bus(*ticket.action)) return;
  const Picoseconds limit = patience_for(ticket);
  const Picoseconds took = completion.times.complete - completion.times.selected;
  if (took <= limit) return;
  object(
      ticket, completion, "bus held",
      fmt::format("it may not disconnect, and holds the bus: it ends within {:.0f} ms, not {:.0f}",
                  to_ms(limit), to_ms(took)),
      at);
}

Picoseconds Oracle::longest_hold() const {
  Picoseconds longest = kPatience;
  for (const Ticket& ticket : tickets_) {
    if (ticket.ended == kOpen) longest = std::max(longest, patience_for(ticket));
  }
  return 2 * longest;
}

void Oracle::check_waiting(Picoseconds at) {
  // Others wait for a host that owes a REQUEST SENSE, or answers no reselection: an ORDERED command
  // comes after that host's commands (SCSI-2 7.6, 7.8).
  const auto is_set = [](bool one) { return one; };
  if (std::any_of(careless_.begin(), careless_.end(), is_set)) return;
  if (std::any_of(deaf_.begin(), deaf_.end(), is_set)) return;
  const drive::Design& design = drive_named(storyline_.drive).design;
  std::int64_t out = 0;
  Picoseconds allowance = kWait;
  const Ticket* oldest = nullptr;
  for (const Ticket& ticket : tickets_) {
    const Operation operation = ticket.request.operation;
    if (operation == Operation::kFormat) allowance += kFormatWait;
    if (operation == Operation::kStart || operation == Operation::kStop) {
      allowance += from_ms(design.spin_up_ms + design.spin_down_ms);
    }
    if (ticket.ended != kOpen || ticket.arrived == kOpen) continue;
    ++out;
    const std::size_t host = ticket.action->host;
    const bool is_calm = !ticket.hit && !ticket.may_be_lost && !ticket.odd && !was_odd_[host];
    const bool is_long = operation == Operation::kFormat || operation == Operation::kStart ||
                         operation == Operation::kStop;
    if (!is_calm || is_long) continue;
    if (oldest == nullptr || ticket.arrived < oldest->arrived) oldest = &ticket;
  }
  if (!storyline_.at_speed) allowance += from_ms(design.spin_up_ms);
  if (oldest == nullptr || at - oldest->arrived <= allowance + out * kWaitEach) return;
  report("never ended",
         fmt::format("{} has not ended {:.0f} s after its arrival, with {} others outstanding",
                     name(*oldest), to_ms(at - oldest->arrived) / 1000, out - 1),
         "every command ends within 20 s, and 1 s for each outstanding one", at);
}

/// Checks that the limits of page 02h were kept.
void Oracle::check_tenancies(const Ticket& ticket, const Completion& completion, Picoseconds at) {
  const bool is_plain = !ticket.hit && !ticket.provoked && !ticket.odd && !ticket.may_be_lost &&
                        !keeps_bus(*ticket.action) && ticket.action->parity_faults.empty();
  if (!is_plain || !tenancy_.certain() || ticket.tenancy_version != tenancy_.version()) return;
  const std::string expected = find_tenancy_error(*tenancy_.certain(), completion);
  if (!expected.empty()) object(ticket, completion, "bus limit", expected, at);
}

/// Checks that MODE SENSE returns the values of the last MODE SELECT.
void Oracle::check_modes(const Ticket& ticket, const Completion& completion, Picoseconds at) {
  const bool is_plain = !ticket.provoked && !ticket.odd && ticket.action->lun == 0;
  if (!is_plain || ticket.modes_version != modes_.version()) return;
  const std::string expected = modes_.find_error(*ticket.action, completion.data);
  if (!expected.empty()) object(ticket, completion, "mode page", expected, at);
}

void Oracle::check_good(const Ticket& ticket, const Completion& completion, Picoseconds at) {
  const Request& request = ticket.request;
  const Action& action = *ticket.action;
  if (request.validity == Validity::kOutOfRange && action.lun == 0) {
    return object(ticket, completion, "status", "5/21/00: there are no such blocks", at);
  }
  const bool is_calm = !ticket.hit && !ticket.provoked && !ticket.odd && action.lun == 0;
  if (ticket.latest && is_calm && ticket.ended - ticket.arrived > *ticket.latest + kLimitSlack) {
    return object(
        ticket, completion, "limit missed",
        fmt::format("B/2E: its total time was limited to {} us", *ticket.latest / 1'000'000), at);
  }
  const bool needs_media =
      request.operation == Operation::kTestUnitReady || request.operation == Operation::kRead ||
      request.operation == Operation::kWrite || request.operation == Operation::kVerify ||
      request.operation == Operation::kSeek;
  if (is_calm && needs_media && stopped_since_ != kOpen && ticket.submitted > stopped_since_) {
    return object(ticket, completion, "stopped",
                  "2/04/02: a stop has ended with GOOD, and nobody has started the unit since", at);
  }
  const bool any_unit = keeps_attention(request.operation);
  if (action.lun != 0 && !any_unit && !ticket.provoked) {
    return object(ticket, completion, "status", "5/25/00: there is no such logical unit", at);
  }
  const Picoseconds reset = attentions_.unheard_reset(action.host);
  if (reset != kOpen && ticket.arrived > reset && !any_unit && !ticket.hit && !ticket.provoked) {
    return object(ticket, completion, "attention lost",
                  "6/29: the drive was reset, or powered on, and this host has not heard of it "
                  "(SCSI-2 7.9)",
                  at);
  }
  if (request.operation == Operation::kRequestSense && action.lun == 0) {
    check_sense_data(ticket, completion, at);
  }
  if (request.operation == Operation::kModeSense) check_modes(ticket, completion, at);
  if (ticket.operation == 0) {
    const Picoseconds since = ticket.arrived;
    const bool to_media =
        (request.operation == Operation::kSynchronize || request.operation == Operation::kStop) &&
        !request.immediate && action.lun == 0;
    if (!to_media) return;
    const bool all = request.operation == Operation::kStop;
    return check_range_on_media(all ? 0 : static_cast<std::uint32_t>(request.lba),
                                all ? capacity_.blocks : request.blocks, since, at, name(ticket));
  }
  check_tenancies(ticket, completion, at);
  if (request.operation == Operation::kRead) return check_read(ticket, completion, at);
  const std::uint64_t moved = completion.bytes_reached;
  if (moved != request.data_bytes && !ticket.provoked) {
    return object(ticket, completion, "length",
                  fmt::format("it took {} bytes of {}", moved, request.data_bytes), at);
  }
  if (request.force_unit_access || !may_cache_writes_) {
    // After a later, cached write of its blocks, the media may still have the data of this one.
    const Picoseconds since = may_cache_writes_ ? ticket.arrived : completion.times.status;
    check_range_on_media(static_cast<std::uint32_t>(request.lba), request.blocks, since, at,
                         name(ticket), ticket.operation);
  }
}

std::optional<Version> Oracle::version_at(const std::uint8_t* data, std::uint32_t lba) const {
  const std::uint32_t bytes = capacity_.block_bytes;
  if (blank_ && std::all_of(data, data + bytes, [](std::uint8_t byte) { return byte == 0; }))
    return 0;
  return version_of_block(data, bytes, lba);
}

bool Oracle::may_be_formatted(std::uint32_t lba, Picoseconds begin) const {
  return formats_out_ > 0 || blocks_.is_forgotten(lba, begin);
}

void Oracle::check_read(const Ticket& ticket, const Completion& completion, Picoseconds at) {
  const Request& request = ticket.request;
  std::uint32_t blocks = request.blocks;
  if (completion.bytes_moved != request.data_bytes || completion.bytes_beyond != 0) {
    if (ticket.provoked) return;
    const bool is_short =
        completion.bytes_beyond == 0 && completion.bytes_moved < request.data_bytes;
    // The blocks that came are judged like any others.
    if (is_short) blocks = completion.bytes_moved / capacity_.block_bytes;
    if (!is_short || !may_be_unavailable(ticket))
      return object(ticket, completion, "length",
                    fmt::format("{} bytes came, and {} beyond, of {}", completion.bytes_moved,
                                completion.bytes_beyond, request.data_bytes),
                    at);
  }
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const auto lba = static_cast<std::uint32_t>(request.lba) + i;
    const std::uint8_t* data = completion.data.data() + std::size_t{i} * capacity_.block_bytes;
    const auto version = version_at(data, lba);
    if (!version && may_be_formatted(lba, ticket.arrived)) continue;
    std::string wrong =
        version ? blocks_.see(ticket.operation, lba, *version) : "no write, whole, to this block";
    if (wrong.empty()) wrong = find_stale(ticket, lba, *version);
    if (wrong.empty()) continue;
    return object(ticket, completion, "wrong data",
                  fmt::format("block {} came as {}: {}", lba,
                              describe_block(data, capacity_.block_bytes, lba), wrong),
                  at);
  }
}

/// A cached write that fails is reported before its host reads the earlier content (SCSI-2
/// 8.2.14.2). @return how this version violates that; empty: it does not.
std::string Oracle::find_stale(const Ticket& ticket, std::uint32_t lba, Version version) const {
  for (const WriteAtRisk& write : at_risk_) {
    const bool counts = write.host == ticket.action->host && version != write.operation &&
                        !write.is_told && lba - write.lba < write.blocks &&
                        blocks_.operation(write.operation).end < ticket.arrived;
    if (!counts || !hears_all_behind(write)) continue;
    if (!blocks_.is_older(lba, version, write.operation)) continue;
    return fmt::format("{} comes after it, and nobody told its host of a failure",
                       blocks_.tell(write.operation));
  }
  return {};
}

void Oracle::check_range_on_media(std::uint32_t lba, std::uint32_t blocks, Picoseconds since,
                                  Picoseconds at, const std::string& by, OperationId demanded) {
  if (!places_known_ && !follows_) return;
  Bytes data(capacity_.block_bytes);
  for (const std::uint32_t block : blocks_.touched()) {
    // Data that cannot be read are zeros after a reassignment.
    const bool moved = (!follows_ || is_flawed(block, 1)) &&
                       std::find(moved_.begin(), moved_.end(), block) != moved_.end();
    if (block - lba >= blocks || (!follows_ && is_flawed(block, 1)) || moved) continue;
    if (!peek_(block, data.data())) continue;
    const auto version = version_at(data.data(), block);
    // Content that a format left stays until a write must be there.
    const Picoseconds written = demanded != 0 ? kOpen - 1 : since;
    if (!version && may_be_formatted(block, written)) continue;
    const std::string wrong = version ? blocks_.find_media_error(block, *version, since, demanded)
                                      : "no write, whole, to this block";
    if (wrong.empty()) continue;
    return report("not on the media",
                  fmt::format("after {}, block {} is on the media as {}", by, block,
                              describe_block(data.data(), capacity_.block_bytes, block)),
                  wrong, at);
  }
}

void Oracle::check_media(Picoseconds at) {
  check_range_on_media(0, capacity_.blocks, at, at, "all of the storyline");
}

bool Oracle::fails_writes(std::uint32_t lba, std::uint64_t blocks) const {
  return std::any_of(storyline_.flaws.begin(), storyline_.flaws.end(), [&](const FlawSetup& flaw) {
    return flaw.fails_writes() && (may_map_ || flaw.lba - lba < blocks);
  });
}

bool Oracle::is_at_risk(std::uint32_t lba, std::uint32_t blocks) const {
  return std::any_of(at_risk_.begin(), at_risk_.end(), [&](const WriteAtRisk& write) {
    return write.lba - lba < blocks || lba - write.lba < write.blocks;
  });
}

bool Oracle::hear_of_loss(std::size_t host, const initiator::SenseCodes& sense) {
  if (!sense.information) return false;
  const std::uint32_t lba = *sense.information;
  bool found = false;
  for (WriteAtRisk& write : at_risk_) {
    if (write.host != host || lba - write.lba >= write.blocks) continue;
    write.is_told = found = true;
  }
  return found && fails_writes(lba, 1);
}

/// Whether the write's host received all reports of the drive after the write, and nobody else did.
bool Oracle::hears_all_behind(const WriteAtRisk& write) const {
  if (deaf_[write.host] || has_formatted_[write.host]) return false;
  const Picoseconds end = blocks_.operation(write.operation).end;
  return std::none_of(tickets_.begin(), tickets_.end(), [&](const Ticket& ticket) {
    if (ticket.action->host != write.host || ticket.finished <= end) return false;
    return ticket.hit || ticket.provoked || ticket.odd || ticket.may_be_lost ||
           !ticket.action->auto_sense;
  });
}

void Oracle::confirm_untold() {
  for (const WriteAtRisk& write : at_risk_) {
    if (!write.is_told && hears_all_behind(write)) blocks_.confirm(write.operation);
  }
}

bool Oracle::is_flawed(std::uint32_t lba, std::uint64_t blocks) const {
  return std::any_of(storyline_.flaws.begin(), storyline_.flaws.end(),
                     [&](const FlawSetup& flaw) { return may_map_ || flaw.lba - lba < blocks; });
}

}  // namespace headstack::fuzz
