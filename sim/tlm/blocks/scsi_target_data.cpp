// SPDX-License-Identifier: Apache-2.0
// Data phases: between the host port and the host adapter's data, in chunks, or by the FIFO.
#include <algorithm>

#include "sim/tlm/blocks/scsi_target.hpp"
#include "sim/tlm/bus/transaction_link.hpp"

namespace headstack::tlm {

namespace in_clocks = target_clocks;

void ScsiTarget::start_data() {
  const scsi_target_regs::Agreement agreed = agreement();
  move_ = terms_.dma ? Move::kData : Move::kDataHand;
  wide_ = agreed.wide();
  terms_.dma ? feed() : data_by_hand();
}

void ScsiTarget::fill_target_setup(StreamSetup* setup) const {
  const scsi_target_regs::Agreement agreed = agreement();
  const auto period = std::max<std::int64_t>(agreed.period(), in_clocks::kMinPeriod);
  setup->timing = timing_;
  setup->in = bus::is_in(phase_);
  setup->synchronous = since_counts_;
  setup->width = wide_ ? 2 : 1;
  setup->offset = std::max(agreed.offset(), 1U);
  const bool fast = setup->synchronous && period < in_clocks::kFastPeriod;
  setup->period = timing_.clocks(period);
  setup->req_width = timing_.clocks(fast ? in_clocks::kFastReq : in_clocks::kReq);
  setup->setup = timing_.clocks(fast ? in_clocks::kFastSetup : in_clocks::kSetup);
}

/// Gives the stream bytes to move, or room for them.
void ScsiTarget::supply(TransactionStream& stream, std::uint32_t bytes, Picoseconds from) const {
  terms_.dma ? stream.supply(bytes, from) : stream.supply_by_hand(bytes, from);
}

/// Begins the stream when the first bytes are there, so that the first REQ can be computed.
void ScsiTarget::begin_stream(std::uint32_t bytes, Picoseconds from) {
  begun_ = true;
  StreamSetup setup;
  fill_target_setup(&setup);
  TransactionStream::Start start;
  start.operation = operation_;
  start.move = move_from_;
  if (setup.synchronous && since_req_ < since_limit_) {
    start.req_from = operation_ + timing_.clocks(since_limit_ - since_req_ + 1);
  }
  // The first REQ does not depend on the host adapter; its half of the setup is fixed from then on.
  stream_.begin(setup, count_, start);
  supply(stream_, bytes, from);
  stream_.step();
  const Picoseconds req = stream_.last().req;
  bus_.show(phase_, req);
  const initiator::TransferMode& mode = link_->enter_data(phase_, req);
  const bool alike = mode.wide == wide_ && (mode.offset != 0) == setup.synchronous;
  if (!alike || (setup.synchronous && setup.offset > mode.offset)) {
    link_->bytes().agreement_broken();
  }
  link_->fill(&setup, &start);
  stream_.begin(setup, count_, start);
  supply(stream_, bytes, from);
  // An odd end of wide data moves one byte more on the bus than the data have.
  const bool bulk = terms_.dma && (!wide_ || count_ % 2 == 0);
  place_ = bulk && setup.in ? link_->bytes().data_place(count_) : nullptr;
  source_ = bulk && !setup.in ? link_->bytes().data_source(count_) : nullptr;
}

void ScsiTarget::extend(std::uint32_t bytes, Picoseconds from) {
  if (begun_) {
    supply(stream_, bytes, from);
  } else {
    begin_stream(bytes, from);
    before_[newest_] = stream_;
  }
  newest_ ^= 1U;
  before_[newest_] = stream_;
}

/// Reports the bytes that have moved to the host adapter.
void ScsiTarget::report_moved() {
  if (!bulk() || stream_.computed() == 0) return;
  link_->bytes().data_moved(stream_.computed(), stream_.first().*taken_with(),
                            stream_.last().*taken_with());
}

/// When the host adapter takes a unit: a synchronous one towards it at REQ, all others at ACK.
Picoseconds TransactionStream::Unit::*ScsiTarget::taken_with() const {
  const bool at_req = since_counts_ && bus::is_in(phase_);
  return at_req ? &TransactionStream::Unit::req : &TransactionStream::Unit::ack;
}

// --------------------------------------------------------------------------------------- host port

/// Feeds as many bytes as the host port has, up to a chunk, or waits.
void ScsiTarget::feed() {
  const bool in = bus::is_in(phase_);
  const std::uint32_t ready = host_.to_host() == in ? host_.bytes_ready() : 0;
  chunk_ = std::min({ready, count_ - passed_, kChunkBytes});
  waiting_ = chunk_ == 0;
  // REQ requests bytes from the initiator for the room in the FIFO all the same.
  if (waiting_ && !in && !begun_) extend(0, kFar);
  if (waiting_) return;
  extend(chunk_, timing_.ideal() ? bus_.now() : host_.ready_from() + timing_.clocks(1));
  if (bulk()) {
    stream_.run(&known_start_);
  } else {
    if (in) host_.read(buffer_.data(), chunk_);
    compute_units();
    chunk_ = unit_bytes_;
  }
  step_ = Step::kChunk;
  // A sector from the initiator is in RAM a clock after its last byte.
  const Picoseconds passed = stream_.last_passed() + timing_.clocks(in ? 0 : 1);
  transfer_due_.set(std::max(passed, bus_.now()));
}

void ScsiTarget::host_port_changed() {
  if (waiting_ && move_ == Move::kData) feed();
}

/// Ends a chunk, which has passed the host port.
void ScsiTarget::finish_chunk() {
  const bool in = bus::is_in(phase_);
  if (in && bulk()) {
    host_.read(place_ + passed_, std::min(chunk_, host_.bytes_ready()));
  } else if (!in) {
    const std::uint8_t* from = bulk() ? source_ + passed_ : buffer_.data();
    host_.write(from, std::min(chunk_, host_.bytes_ready()));
  }
  passed_ += chunk_;
  if (!stream_.complete() && !parity_error_) return feed();
  finish_at(stream_.balanced());
}

// ------------------------------------------------------------------------------------ unit by unit

/// Computes all units that are ready, with the host adapter's response to single bytes. Their bytes
/// are in buffer_, or come into it.
void ScsiTarget::compute_units() {
  unit_bytes_ = 0;
  Picoseconds last_req = Agenda::kNever;  // no REQ after it
  while (stream_.ready()) {
    const TransactionStream before = stream_;
    stream_.step();
    if (stream_.last().req > last_req) {
      stream_ = before;
      return;
    }
    const bool bad = pass_unit(stream_.computed() - before.computed());
    stream_.hold(link_->ack_held_until());
    if (!bad || parity_error_) continue;
    // REQ of that very clock still rises; the bytes that it requests still come.
    parity_error_ = true;
    last_req = stream_.last().moved;
  }
}

/// Moves the bytes of the unit just computed. @return true for bad parity.
bool ScsiTarget::pass_unit(std::uint32_t width) {
  const TransactionStream::Unit& unit = stream_.last();
  std::uint8_t* bytes = buffer_.data() + unit_bytes_;
  unit_bytes_ += width;
  for (std::uint32_t i = 0; i < width && !terms_.dma; ++i) note_moved(unit.moved);
  if (bus::is_in(phase_)) {
    const unsigned high = width == 2 ? bytes[1] : 0U;
    link_->unit_in(static_cast<std::uint16_t>(bytes[0] | high << 8U), unit.*taken_with());
    return false;
  }
  bool ahead = false;
  const initiator::ByteOut out = link_->unit_out(unit, &ahead);
  stream_.set_data_ahead(ahead);
  bytes[0] = static_cast<std::uint8_t>(out.data);
  if (width == 2) bytes[1] = static_cast<std::uint8_t>(out.data >> 8U);
  if (!terms_.dma) {
    for (std::uint32_t i = 0; i < width; ++i) fifo_push(bytes[i], unit.moved);
  }
  return out.bad_parity != 0 && ctrl().parity_check();
}

/// Moves data of a phase by way of the FIFO, as far as its level allows.
void ScsiTarget::data_by_hand() {
  const std::uint32_t supplied = begun_ ? stream_.supplied() : 0;
  const std::uint32_t computed = begun_ ? stream_.computed() : 0;
  const std::uint32_t width = wide_ ? 2 : 1;
  std::uint32_t more = 0;
  Picoseconds from = operation_;
  waiting_ = true;
  if (bus::is_in(phase_)) {
    more = std::min(fifo_level_, count_ - supplied);
    if (supplied + more < count_) more -= more % width;  // whole units
    if (more == 0) return;
    for (std::uint32_t i = 0; i < more; ++i) {
      const FifoByte byte = fifo_pop();
      buffer_[i] = byte.data;
      from = std::max(from, byte.since);
    }
  } else {
    // The room in the FIFO counts from the transfer's start.
    if (kFifoBytes - fifo_level_ < width) return;
    more = computed + kFifoBytes - fifo_level_ - supplied;
    from = std::max(from, room_from_);
  }
  extend(more, from);
  compute_units();
  residue_ = count_ - stream_.computed();
  if (stream_.complete() || parity_error_) finish_at(stream_.balanced());
}

// ------------------------------------------------------------------------------ past of a transfer

/// The stream as of the last unit with `Time` at or before `until`.
TransactionStream ScsiTarget::replay(Picoseconds TransactionStream::Unit::*time,
                                     Picoseconds until) const {
  TransactionStream then = stream_;
  if (then.last().*time > until) then = before_[newest_];
  if (then.last().*time > until) then = before_[newest_ ^ 1U];
  for (bool ahead = bus::is_in(phase_);; ahead = true) {
    while (then.ready()) {
      const TransactionStream before = then;
      then.step();
      if (then.last().*time > until) return before;
    }
    if (ahead) return then;
    // REQ requests bytes for the room in the FIFO, whether the host port takes them or not.
    then.supply(std::min(count_ - then.supplied(), kFifoBytes), kFar);
  }
}

/// Moves the bytes of an unfinished chunk through the host port, up to stream_, where it ends.
void ScsiTarget::pass_part(std::uint32_t supplied) {
  const std::uint32_t moved = std::min(stream_.computed(), supplied);
  if (moved <= passed_) return;
  const std::uint32_t bytes = std::min(moved - passed_, host_.bytes_ready());
  if (bus::is_in(phase_)) {
    host_.read(place_ + passed_, bytes);
  } else {
    host_.write(source_ + passed_, bytes);
  }
}

/// Aborts with the edge `at`: no REQ rises any more; bytes that were requested still come.
void ScsiTarget::stop_data(Picoseconds at) {
  if (stopped_) return;
  stopped_ = true;
  Picoseconds rest = std::max(at, move_from_) + timing_.clocks(1);
  if (begun_ && bulk()) {
    const std::uint32_t supplied = stream_.supplied();
    stream_ = replay(&TransactionStream::Unit::req, at - timing_.clocks(1));
    pass_part(supplied);
  }
  if (begun_ && stream_.computed() != 0) rest = std::max(rest, stream_.balanced());
  finish_at(rest);
}

}  // namespace headstack::tlm
