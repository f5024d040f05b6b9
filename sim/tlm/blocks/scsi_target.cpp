// SPDX-License-Identifier: Apache-2.0
// Registers and connections; scsi_connect.sv has the states and their clocks.
#include "sim/tlm/blocks/scsi_target.hpp"

#include <algorithm>

#include "sim/assert.hpp"
#include "sim/tlm/bus/transaction_link.hpp"

namespace headstack::tlm {

using bus::Phase;
using scsi_target_regs::IntrState;
using scsi_target_regs::Op;
namespace in_clocks = target_clocks;

ScsiTarget::ScsiTarget(TransactionBus& bus, HostPort& host, InterruptSink& interrupts)
    : bus_(bus),
      timing_(bus.timing()),
      host_(host),
      interrupts_(interrupts),
      connect_due_(bus.agenda(), [this] { run_connection(); }),
      answer_due_(bus.agenda(), [this] { answer(); }),
      attention_due_(bus.agenda(), [this] { raise_attention(); }),
      reset_due_(bus.agenda(), [this] { reset_connection(); }),
      event_due_(bus.agenda(), [this] { raise_late(); }),
      transfer_due_(bus.agenda(), [this] { run_transfer(); }) {
  bus_.attach(*this);
  host_.listen(this);
}

// -------------------------------------------------------------------------------------- registers

void ScsiTarget::on_write_ctrl(scsi_target_regs::Ctrl /*value*/) {
  free_from_ = std::max(free_from_, timing_.written(bus_.now()));
  offer_answer();
}

bool ScsiTarget::is_busy() const {
  return move_ != Move::kNone ||
         (state_ != State::kFree && state_ != State::kAnswer && state_ != State::kConnected);
}

scsi_target_regs::Status ScsiTarget::on_read_status() {
  const Picoseconds now = bus_.now();
  scsi_target_regs::Status status;
  status.set_connected(state_ == State::kConnected);
  status.set_busy(is_busy());
  status.set_atn(attention_level(now));
  status.set_selected_with_atn(with_attention_);
  status.set_initiator_id(initiator_id_);
  // The work after a selection or a reselection begins a clock after it.
  const bool is_begun = opening_ == 0 || now >= operation_;
  const bool is_released = now < released_until_;
  const Phase phase = is_released ? phase_before_ : phase_;
  status.set_phase(static_cast<scsi_target_regs::Phase>(is_begun ? phase : Phase::kDataOut));
  status.set_fifo_level(fifo_level(now));
  status.set_takes((is_released ? takes_before_ : takes_) && is_begun);
  status.set_taken_messages(messages_by(now));
  return status;
}

void ScsiTarget::on_write_command(scsi_target_regs::Command value) {
  const Picoseconds at = timing_.started(bus_.now());
  if (value.op() == Op::kAbort) return abort(at);
  if (is_busy()) return;
  switch (value.op()) {
    case Op::kReselect:
      if (takes_before(at)) return;
      return start_reselect(value.initiator_id(), at);
    case Op::kTransfer: return start_transfer(at);
    case Op::kRelease: return start_release(at);
    default: return;
  }
}

/// Whether the block was selected, and is busy before its operation starts.
bool ScsiTarget::takes_before(Picoseconds at) const {
  return state_ == State::kAnswer && connect_due_.is_set() &&
         connect_due_.due() <= at - timing_.clocks(1) && takes_commands();
}

void ScsiTarget::abort(Picoseconds at) {
  if (move_ != Move::kNone) return stop_transfer(at);
  fifo_clear();
  switch (state_) {
    case State::kWaitFree:
      state_ = State::kFree;
      bus_.wishes_changed();
      return raise_at(IntrState::kArbitrationLostMask, at);
    case State::kArbitrate: abort_ = true; return;
    case State::kReselect:
      if (!abort_) give_up(at);
      return;
    default: return;
  }
}

/// Raises an event that a register access or a lost arbitration causes.
void ScsiTarget::raise_at(std::uint32_t events, Picoseconds at) {
  late_events_ |= events;
  event_due_.set(at);
}

void ScsiTarget::lose_messages() {
  if (!locked_) fifo_clear();
}

void ScsiTarget::raise_late() {
  const std::uint32_t events = late_events_;
  late_events_ = 0;
  raise(events);
}

// -------------------------------------------------------------------------------------- selection

void ScsiTarget::select(TransactionLink& link) {
  selecting_ = &link;
  if (link.selects_with_attention()) attention(true, bus_.now());
  offer_answer();
}

void ScsiTarget::deselect() {
  // A selection that has passed the synchronizer is answered all the same.
  if (answer_due_.is_set() && answer_due_.due() < timing_.seen(bus_.now())) return;
  answer_due_.cancel();
  selecting_ = nullptr;
  attention(false, bus_.now());
}

/// Plans BSY, which comes when the block was selected, free and enabled for a bus settle delay.
void ScsiTarget::offer_answer() {
  if (selecting_ == nullptr || !listens()) return;
  if (!ctrl().enable()) return answer_due_.cancel();
  const Picoseconds match =
      std::max(timing_.seen(selecting_->ids_since()), free_from_ + timing_.clocks(1));
  if (!answer_due_.is_set()) answer_due_.set(match + timing_.clocks(in_clocks::kBusSettle));
}

void ScsiTarget::answer() {
  TransactionLink& link = *selecting_;
  selecting_ = nullptr;
  // A pending reselection is lost. Its operation may not have started yet.
  if (state_ == State::kWaitFree) {
    lose_messages();
    raise_at(IntrState::kArbitrationLostMask, std::max(bus_.now(), wait_from_));
  }
  state_ = State::kAnswer;
  initiator_id_ = link.id();
  link_ = &link;
  connect_due_.set(timing_.seen(link.answer()));
}

void ScsiTarget::become_connected() {
  state_ = State::kConnected;
  settled_ = false;
  phase_ = Phase::kDataOut;
  link_->connect(*this);
}

// ------------------------------------------------------------------------------------ reselection

void ScsiTarget::start_reselect(unsigned initiator, Picoseconds at) {
  if (state_ != State::kFree) {
    lose_messages();
    return raise_at(IntrState::kArbitrationLostMask, at);
  }
  state_ = State::kWaitFree;
  initiator_id_ = initiator;
  wait_from_ = at;
  abort_ = false;
  bus_.wishes_too(*this);
}

Picoseconds ScsiTarget::arbitration_at(Picoseconds free_since) const {
  const Picoseconds free = timing_.seen(free_since) + timing_.clocks(in_clocks::kFreeToArbitrate);
  return std::max(wait_from_ + timing_.clocks(1), free);
}

bool ScsiTarget::joins(Picoseconds busy) const {
  return wait_from_ + timing_.clocks(1) <= timing_.seen(busy);
}

void ScsiTarget::lose(Picoseconds at) {
  state_ = State::kArbitrate;
  connect_due_.set(at);
  link_ = nullptr;
  ids_since_ = bus::kNever;
}

/// Asserts SEL with the edge `at`. Nothing more can prevent the reselection until the answer is
/// due.
void ScsiTarget::win(Picoseconds at) {
  state_ = State::kArbitrate;
  ids_since_ = at + timing_.clocks(in_clocks::kArbitrationWon + in_clocks::kTwoDeskew);
  bus_.show(Phase::kReselection, ids_since_);
  link_ = initiator_id_ == id() ? nullptr : bus_.link_at(initiator_id_);
  if (link_ != nullptr && !link_->answers_reselection()) link_ = nullptr;
  if (link_ == nullptr) return connect_due_.set(ids_since_);
  state_ = State::kTakeBsy;
  answered_at_ = link_->reselection_answer(ids_since_);
  const Picoseconds looks = ids_since_ + timing_.clocks(in_clocks::kBusSettle + in_clocks::kSync);
  connect_due_.set(std::max(looks, timing_.seen(answered_at_)) +
                   timing_.clocks(in_clocks::kTwoDeskew));
}

/// Gives up a reselection that got no answer, after an abort at the edge `at` or before.
void ScsiTarget::give_up(Picoseconds at) {
  abort_ = true;
  const Picoseconds looks = ids_since_ + timing_.clocks(in_clocks::kBusSettle + in_clocks::kSync);
  state_ = State::kGiveUp;
  connect_due_.set(std::max(looks, at + timing_.clocks(1)) +
                   tlm::clocks(in_clocks::kGiveUp + in_clocks::kSync));
}

// ---------------------------------------------------------------------------------------- release

void ScsiTarget::start_release(Picoseconds at) {
  if (state_ != State::kConnected) return raise_at(IntrState::kDisconnectedMask, at);
  state_ = State::kRelease;
  timed_out_ = false;
  // If RST has risen, and the block is about to sample it, there is nothing to release.
  if (link_ != nullptr) connect_due_.set(at);
}

/// Releases BSY, SEL and all other lines now.
void ScsiTarget::let_go() {
  settled_ = false;
  phase_before_ = phase_;
  takes_before_ = takes_;
  released_until_ = bus_.now() + timing_.clocks(1);
  takes_ = locked_ = false;
  phase_ = Phase::kDataOut;
  TransactionLink* link = link_;
  link_ = nullptr;
  attention_due_.cancel();
  if (attention_.back().level) attention(false, bus_.now());
  if (link != nullptr) link->freed();
  bus_.freed();
}

void ScsiTarget::become_free() {
  state_ = State::kFree;
  free_from_ = bus_.now();
  raise(timed_out_ ? IntrState::kReselectTimeoutMask : IntrState::kDisconnectedMask);
  offer_answer();
}

/// Runs the next step of a connection, which is due.
void ScsiTarget::run_connection() {
  switch (state_) {
    case State::kAnswer:
      with_attention_ = attention_level(bus_.now());
      become_connected();
      if (!takes_commands()) return raise(IntrState::kSelectedMask);
      opening_ = IntrState::kSelectedMask;
      return take_messages(bus_.now() + timing_.clocks(1));
    case State::kArbitrate:
      if (link_ == nullptr && ids_since_ == bus_.now()) {
        state_ = State::kReselect;
        if (abort_) give_up(bus_.now());
        return;
      }
      state_ = State::kFree;
      free_from_ = bus_.now();
      lose_messages();
      raise(IntrState::kArbitrationLostMask);
      return offer_answer();
    case State::kTakeBsy:
      with_attention_ = false;
      link_->reselected(id(), answered_at_);
      become_connected();
      if (!transfer().then_message()) return raise(IntrState::kReselectedMask);
      opening_ = IntrState::kReselectedMask;
      return send_messages(bus_.now() + timing_.clocks(1), false);
    case State::kGiveUp:
      state_ = State::kRelease;
      timed_out_ = true;
      [[fallthrough]];
    case State::kRelease:
      if (!releasing_) {
        releasing_ = true;
        connect_due_.set(bus_.now() + timing_.clocks(in_clocks::kBusSettle));
        return let_go();
      }
      releasing_ = false;
      return become_free();
    default: HEADSTACK_ASSERT(false, "no other state waits for a time");
  }
}

// ----------------------------------------------------------------------------- attention and reset

bool ScsiTarget::attention_level(Picoseconds at) const {
  for (std::size_t i = attention_.size(); i-- > 0;) {
    const Attention& change = attention_[i];
    if (change.at == bus::kNever || timing_.shows(change.at, at)) return change.level;
  }
  return false;
}

void ScsiTarget::attention(bool raised, Picoseconds at) {
  // Changes come in order, except for one that the host adapter makes by itself while a byte is
  // ahead.
  at = std::max(at, attention_.back().at);
  std::move(attention_.begin() + 1, attention_.end(), attention_.begin());
  attention_.back() = {at, raised};
  if (!raised || state_ != State::kConnected || attention_due_.is_set()) return;
  attention_due_.set(std::max(timing_.seen(at), bus_.now()));
}

void ScsiTarget::raise_attention() {
  for (const Attention& change : attention_) {
    const Picoseconds seen = timing_.seen(change.at);
    if (change.level && seen > bus_.now() && !attention_due_.is_set()) attention_due_.set(seen);
  }
  if (state_ == State::kConnected) raise(IntrState::kAttentionMask);
}

/// Ends all activity; the block samples RST three clocks later.
void ScsiTarget::reset_seen() {
  if (begun_ && bulk()) {
    // The initiator releases all lines at once; bytes that it has taken, or given, count.
    residue_ = count_ - replay(&TransactionStream::Unit::ack, bus_.now() - 1).computed();
    const std::uint32_t supplied = stream_.supplied();
    stream_ = replay(taken_with(), bus_.now());
    pass_part(supplied);
    report_moved();
  }
  messages_ = messages_by(timing_.seen(bus_.now()));
  answer_due_.cancel();
  connect_due_.cancel();
  transfer_due_.cancel();
  if (attention_.back().level) attention(false, bus_.now());
  attention_due_.cancel();
  selecting_ = nullptr;
  link_ = nullptr;
  begun_ = false;
  waiting_ = false;
  moved_at_.fill(bus::kNever);
  reset_due_.set(timing_.seen(bus_.now()));
}

void ScsiTarget::reset_connection() {
  if (move_ != Move::kNone) fifo_clear();
  event_due_.cancel();
  late_events_ = 0;
  move_ = Move::kNone;
  state_ = State::kFree;
  releasing_ = false;
  settled_ = false;
  takes_ = locked_ = false;
  opening_ = 0;
  phase_ = Phase::kDataOut;
  free_from_ = bus_.now();
  attention_.fill({});
  raise(IntrState::kBusResetMask);
}

// ------------------------------------------------------------------------------------------- FIFO

void ScsiTarget::fifo_push(std::uint8_t byte, Picoseconds since) {
  if (fifo_level_ == kFifoBytes) return;
  fifo_[(fifo_read_ + fifo_level_) % kFifoBytes] = {byte, since};
  ++fifo_level_;
}

ScsiTarget::FifoByte ScsiTarget::fifo_pop() {
  const FifoByte byte = fifo_[fifo_read_];
  fifo_read_ = (fifo_read_ + 1) % kFifoBytes;
  --fifo_level_;
  return byte;
}

std::uint32_t ScsiTarget::fifo_level(Picoseconds at) const {
  std::uint32_t level = 0;
  while (level < fifo_level_ && fifo_[(fifo_read_ + level) % kFifoBytes].since <= at) ++level;
  const auto waits = [at](const Taken& one) { return one.waits(at); };
  return level + static_cast<std::uint32_t>(std::count_if(taken_.begin(), taken_.end(), waits));
}

std::uint8_t ScsiTarget::fifo_head() const {
  for (std::uint32_t i = 0; i < kFifoBytes; ++i) {
    const Taken& oldest = taken_[(taken_next_ + i) % kFifoBytes];
    if (oldest.waits(bus_.now())) return oldest.byte.data;
  }
  return fifo_[fifo_read_].data;
}

void ScsiTarget::fifo_clear() {
  fifo_level_ = 0;
  taken_.fill({});
}

scsi_target_regs::Fifo ScsiTarget::on_read_fifo() {
  const bool theirs = move_ != Move::kNone && (bus::is_in(phase_) || terms_.dma);
  if (fifo_level(bus_.now()) == 0) return {};
  if (theirs) return {fifo_head()};
  const FifoByte byte = fifo_pop();
  if (move_ == Move::kNone && fifo_level_ == 0) locked_ = false;
  room_from_ = timing_.written(bus_.now());
  if (waiting_) move_ == Move::kHand ? move_by_hand() : data_by_hand();
  return {byte.data};
}

void ScsiTarget::on_write_fifo(scsi_target_regs::Fifo value) {
  const bool theirs = move_ != Move::kNone && (!bus::is_in(phase_) || terms_.dma);
  if (theirs || locked_ || fifo_level(bus_.now()) == kFifoBytes) return;
  fifo_push(static_cast<std::uint8_t>(value.data()), timing_.written(bus_.now()));
  if (waiting_) move_ == Move::kHand ? move_by_hand() : data_by_hand();
}

}  // namespace headstack::tlm
