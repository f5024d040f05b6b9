// SPDX-License-Identifier: Apache-2.0
// Information transfer: start, end, and the phases whose bytes firmware moves by hand. See
// scsi_transfer.sv.
#include <algorithm>
#include <utility>

#include "sim/assert.hpp"
#include "sim/tlm/blocks/scsi_target.hpp"
#include "sim/tlm/bus/transaction_link.hpp"

namespace headstack::tlm {

using bus::Phase;
using scsi_target_regs::IntrState;
namespace in_clocks = target_clocks;

/// Updates since_req_q when a transfer starts with the edge `at`. It counts on only after
/// synchronous transfers, and never further than their period.
void ScsiTarget::count_since_req(Phase phase, Picoseconds at) {
  if (since_counts_ && !timing_.ideal()) {
    since_req_ = std::min(since_limit_, since_req_ + (at - since_at_) / kClockPeriodPs);
  }
  const scsi_target_regs::Agreement agreed = agreement();
  since_counts_ = bus::is_data(phase) && agreed.offset() != 0;
  since_limit_ = std::max<std::int64_t>(agreed.period(), in_clocks::kMinPeriod);
  since_at_ = at;
}

/// The first edge at which the target may move. In an unchanged phase that is at once, otherwise
/// when the bus has settled and a turned DATA BUS is free.
Picoseconds ScsiTarget::settle(Phase phase, Picoseconds at) {
  const bool stands = settled_ && phase == phase_;
  const bool turns = bus::is_in(phase) && !bus::is_in(phase_);
  phase_ = phase;
  settled_ = true;
  if (stands) return at;
  return at + timing_.clocks(turns ? in_clocks::kTurnIn : in_clocks::kBusSettle);
}

/// Sets the transfer's registers, from the edge `at` on.
void ScsiTarget::set_count(Phase phase, std::uint32_t count, Picoseconds at) {
  residue_before_ = residue_;
  count_ = residue_ = count;
  operation_ = at;
  count_since_req(phase, at);
}

void ScsiTarget::start_transfer(Picoseconds at) {
  const scsi_target_regs::Transfer wanted = transfer();
  const auto phase = static_cast<Phase>(wanted.phase());
  if (state_ != State::kConnected) {
    set_count(phase, wanted.count(), at);
    return raise_at(IntrState::kTransferDoneMask, at);
  }
  Terms terms;
  terms.dma = wanted.dma();
  terms.whole = wanted.whole();
  terms.then_release = wanted.then_release();
  terms.then_message = wanted.then_message();
  begin(phase, wanted.count(), terms, at);
}

/// Takes messages after a selection, or the command without ATN, from the edge `at` on.
void ScsiTarget::take_messages(Picoseconds at) {
  takes_ = locked_ = true;
  messages_before_ = messages_by(bus_.now());
  messages_from_ = at;
  messages_ = 0;
  plain_ = false;
  fifo_clear();
  if (!with_attention_) return take_command(at);
  Terms terms;
  terms.whole = terms.then_command = true;
  begin(Phase::kMessageOut, kFifoBytes, terms, at);
}

/// Takes as much of the CDB as the FIFO has room for.
void ScsiTarget::take_command(Picoseconds at) {
  Terms terms;
  terms.whole = true;
  begin(Phase::kCommand, kFifoBytes - fifo_level_, terms, at);
}

void ScsiTarget::note_message(std::uint8_t byte, Picoseconds moved) {
  const bool is_tag = byte >= 0x20 && byte <= 0x22;
  if (messages_ == 0) plain_ = (byte & 0xB8U) == 0x80U;
  if (messages_ == 1) plain_ = plain_ && is_tag;
  if (messages_ < 3) message_at_[messages_++] = moved;
}

/// The number of bytes received by an edge: a transfer is computed ahead, so later bytes do not
/// count.
std::uint32_t ScsiTarget::messages_by(Picoseconds at) const {
  if (at < messages_from_) return messages_before_;
  std::uint32_t received = 0;
  while (received < messages_ && message_at_[received] <= at) ++received;
  return received;
}

/// Whether the messages are IDENTIFY, or IDENTIFY and a tag.
bool ScsiTarget::command_may_follow() const {
  return terms_.then_command && plain_ && messages_ != 2;
}

/// Sends the FIFO's bytes as MESSAGE IN, from the edge `at` on. `last`: bus free follows.
void ScsiTarget::send_messages(Picoseconds at, bool last) {
  Terms terms;
  terms.then_release = last;
  begin(Phase::kMessageIn, fifo_level_, terms, at);
}

/// Moves the bus to the phase, in which `count` bytes follow.
void ScsiTarget::begin(Phase phase, std::uint32_t count, const Terms& terms, Picoseconds at) {
  set_count(phase, count, at);
  terms_ = terms;
  parity_error_ = stopped_ = last_byte_ = begun_ = waiting_ = false;
  item_ = Item::kFirst;
  passed_ = chunk_ = 0;
  place_ = nullptr;
  source_ = nullptr;
  if (terms_.dma) fifo_clear();
  move_from_ = settle(phase, at);
  if (count_ == 0) {
    move_ = Move::kHand;
    return finish_at(move_from_ + timing_.clocks(1));
  }
  if (link_ == nullptr) {
    // RST has risen, and the block is about to sample it: no ACK comes.
    move_ = Move::kSilent;
    return;
  }
  if (bus::is_data(phase)) return start_data();
  if (bus::is_reserved(phase)) {
    // The host adapter does not answer a reserved phase, but resets the bus.
    move_ = Move::kSilent;
    const Picoseconds req = move_from_ + timing_.clocks(1);
    bus_.show(phase, req);
    bus_.report(bus::Rule::kReservedPhase);
    link_->enter_data(phase, req);
    return;
  }
  HEADSTACK_ASSERT(!terms_.dma, "the host port is for data phases");
  move_ = Move::kHand;
  next_load_ = next_req_ = move_from_ + timing_.clocks(1);
  move_by_hand();
}

void ScsiTarget::run_transfer() {
  if (step_ == Step::kFinish) return finish();
  finish_chunk();
}

/// Ends a transfer with REQ and ACK in balance: StDrain with the edge `at`, the event one later.
void ScsiTarget::finish_at(Picoseconds at) {
  waiting_ = false;
  step_ = Step::kFinish;
  transfer_due_.set(std::max(at + timing_.clocks(1), bus_.now()));
}

void ScsiTarget::finish() {
  if (begun_ && stream_.computed() != 0) {
    report_moved();
    residue_ = count_ - stream_.computed();
    link_->leave_data(stream_.last());
    since_req_ = 1;
    since_at_ = stream_.last().req;
  }
  begun_ = false;
  if (stopped_) fifo_clear();
  if (fifo_level_ == 0) locked_ = false;
  move_ = Move::kNone;
  const bool ends_well = !parity_error_ && !stopped_ && !attention_level(bus_.now());
  if (ends_well && terms_.then_message) return send_messages(bus_.now(), true);
  if (ends_well && command_may_follow()) return take_command(bus_.now());
  if (ends_well && terms_.then_release) return start_release(bus_.now());
  const std::uint32_t opening = std::exchange(opening_, 0);
  raise(opening | (parity_error_ ? IntrState::kParityErrorMask : IntrState::kTransferDoneMask));
}

void ScsiTarget::stop_transfer(Picoseconds at) {
  if (move_ == Move::kData) return stop_data(at);
  // A second abort ends the wait for ACK.
  if (move_ == Move::kSilent) {
    if (stopped_) finish_at(at);
    stopped_ = true;
    return;
  }
  stopped_ = true;
  if (waiting_) finish_at(std::max(at, move_from_) + timing_.clocks(1));
}

/// Whether the item, a message or a command, ends with this byte. IDENTIFY does not count, since no
/// target rejects it.
bool ScsiTarget::ends_item(std::uint8_t byte) {
  static constexpr std::uint8_t kCdbBytes[] = {6, 10, 10, 6, 16, 12, 6, 6};
  switch (item_) {
    case Item::kFirst:
      item_left_ = 1;
      if (phase_ != Phase::kCommand && byte == 0x01) {
        item_ = Item::kLength;
        return false;
      }
      if (phase_ != Phase::kCommand && (byte & 0xB8U) == 0x80U) return false;
      item_ = Item::kRest;
      if (phase_ == Phase::kCommand) item_left_ = kCdbBytes[byte >> 5U] - 1U;
      return phase_ != Phase::kCommand && byte >> 4U != 2;
    case Item::kLength:
      item_ = Item::kRest;
      item_left_ = byte == 0 ? 256 : byte;
      return false;
    case Item::kRest: return --item_left_ == 0;
  }
  HEADSTACK_ASSERT(false, "no other state of an item");
}

/// Moves bytes of MESSAGE, COMMAND and STATUS, asynchronous, as far as the FIFO's level allows.
void ScsiTarget::move_by_hand() {
  waiting_ = false;
  while (residue_ != 0 && !parity_error_ && !last_byte_) {
    if (hand_byte()) continue;
    waiting_ = true;
    return;
  }
  finish_at(next_req_);
}

/// Makes one REQ and its ACK; false when the FIFO is empty, or full.
bool ScsiTarget::hand_byte() {
  const bool in = bus::is_in(phase_);
  std::uint16_t data = 0;
  bool bad = false;
  Picoseconds req = next_req_;
  if (in) {
    if (fifo_level_ == 0) return false;
    const FifoByte byte = fifo_pop();
    data = byte.data;
    const Picoseconds load = std::max(next_load_, byte.since + timing_.clocks(1));
    taken_[taken_next_++ % kFifoBytes] = {byte, load};
    req = std::max(req, load + timing_.clocks(in_clocks::kSetup));
  } else {
    if (fifo_level_ == kFifoBytes) return false;
    req = std::max(req, room_from_ + timing_.clocks(1));
  }
  if (residue_ == count_) bus_.show(phase_, req);
  const Picoseconds moved = timing_.seen(link_->take_request(phase_, req, &data, &bad));
  if (!in) fifo_push(static_cast<std::uint8_t>(data), moved);
  if (terms_.then_command) note_message(static_cast<std::uint8_t>(data), moved);
  parity_error_ = bad && ctrl().parity_check();
  last_byte_ = phase_ == Phase::kMessageOut && !attention_level(moved);
  const bool is_item = phase_ == Phase::kMessageOut || phase_ == Phase::kCommand;
  if (is_item && terms_.whole && ends_item(static_cast<std::uint8_t>(data))) {
    last_byte_ = true;
  }
  next_load_ = moved;
  next_req_ = timing_.seen(link_->end_request(moved));
  note_moved(moved);
  since_req_ = 1;
  --residue_;
  return true;
}

void ScsiTarget::note_moved(Picoseconds at) { moved_at_[moved_next_++ % kFifoBytes] = at; }

scsi_target_regs::Residue ScsiTarget::on_read_residue() {
  if (bus_.now() < operation_) return {residue_before_};
  if (move_ == Move::kData && begun_) {
    return {count_ - replay(&TransactionStream::Unit::moved, bus_.now()).computed()};
  }
  const auto ahead = std::count_if(moved_at_.begin(), moved_at_.end(),
                                   [this](Picoseconds at) { return at > bus_.now(); });
  return {residue_ + static_cast<std::uint32_t>(ahead)};
}

}  // namespace headstack::tlm
