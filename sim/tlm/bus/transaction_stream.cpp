// SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/bus/transaction_stream.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::tlm {

void TransactionStream::begin(const StreamSetup& setup, std::uint32_t bytes, const Start& start) {
  HEADSTACK_ASSERT(setup.offset < kHistory, "AGREEMENT.offset has five bits");
  setup_ = setup;
  reach_ = std::max(setup.offset, kFifoBytes / setup.width) + 1;
  bytes_ = bytes;
  supplied_ = computed_ = units_ = passed_bytes_ = 0;
  start_ = start;
  first_ = last_ = {};
  supply_from_ = passed_ = start.operation;
  by_hand_ = false;
  data_ahead_ = true;
  shift_ = 0;
  repeats_ = 0;
}

void TransactionStream::supply(std::uint32_t bytes, Picoseconds from) {
  supplied_ += bytes;
  supply_from_ = from;
  by_hand_ = false;
  // The supply is later than the next byte would pass, so the repeated steps end.
  if (from > passed_ + clock() && !catches_up(bytes, from)) repeats_ = 0;
}

/// Whether the FIFO bridges the delay, so that the bus is not affected. The other side moves a byte
/// per clock, faster than the bus, and catches up long before the end of this supply.
bool TransactionStream::catches_up(std::uint32_t bytes, Picoseconds from) const {
  if (repeats_ <= reach_ || bytes < 4 * kFifoBytes || step_ < 2 * clocks(setup_.width))
    return false;
  const Picoseconds passes = from + clocks(setup_.width);
  if (setup_.in) return passes <= load_ + step_;
  return passes <= last_.req + (kFifoBytes / setup_.width + 1) * step_;
}

void TransactionStream::supply_by_hand(std::uint32_t bytes, Picoseconds from) {
  supply(bytes, from);
  by_hand_ = true;
}

bool TransactionStream::ready() const {
  if (complete()) return false;
  // The FIFO must have room for a whole unit, even if the last one is half of it.
  const bool whole = by_hand_ && !setup_.in;
  return computed_ + (whole ? setup_.width : width_of_next()) <= supplied_;
}

/// Whether, towards the host adapter, all earlier units are over when the supply begins. Then the
/// following times depend only on the setup.
bool TransactionStream::rested() const {
  return setup_.in && !by_hand_ && units_ != 0 && computed_ + kFifoBytes * 8 <= supplied_ &&
         supply_from_ > passed_ + clock() &&
         supply_from_ >= setup_.timing.seen(last_.release) + clock() &&
         supply_from_ >= last_.req + setup_.period && supply_from_ >= last_.ack + setup_.ack_period;
}

/// Repeats a start that was computed before.
void TransactionStream::repeat_start(const TransactionStream& known) {
  const Picoseconds later = supply_from_ - known.supply_from_;
  const Unit first = first_;
  const std::uint32_t bytes = bytes_;
  const std::uint32_t supplied = supplied_;
  const std::uint32_t computed = computed_ + known.computed_ - known.rested_at_;
  const Start start = start_;
  *this = known;
  first_ = first;
  start_ = start;
  bytes_ = bytes;
  supplied_ = supplied;
  computed_ = computed;
  supply_from_ += later;
  advance(later);
}

void TransactionStream::advance(Picoseconds time) {
  shift_ += time;
  last_.req += time;
  last_.ack += time;
  last_.moved += time;
  last_.release += time;
  passed_ += time;
  load_ += time;
}

/// Puts the bytes of the next unit into the FIFO.
void TransactionStream::pass_in(std::uint32_t width) {
  for (std::uint32_t i = 0; i < width; ++i) {
    Picoseconds fetch = supply_from_;
    if (!by_hand_) {
      fetch = std::max(fetch, passed_ + clock());
      if (passed_bytes_ >= kFifoBytes) {
        fetch = std::max(fetch, freed_[(passed_bytes_ - kFifoBytes) & kMask] + shift_ + clock());
      }
    }
    passed_ = fetch;
    ++passed_bytes_;
  }
}

/// Removes the bytes of the unit just moved from the FIFO, as far as the host port takes them.
void TransactionStream::pass_out(std::uint32_t width) {
  if (by_hand_) return;
  for (std::uint32_t i = 0; i < width; ++i) {
    passed_ = std::max({passed_ + clock(), last_.moved + clock(), supply_from_});
    freed_[passed_bytes_ & kMask] = passed_ - shift_;
    ++passed_bytes_;
  }
}

void TransactionStream::step() {
  const Unit before = last_;
  const Picoseconds passed_before = passed_;
  const bool first = units_ == 0;
  const std::uint32_t width = width_of_next();
  Picoseconds req = std::max(start_.req_from, start_.move + clock());
  if (setup_.in) {
    pass_in(width);
    Picoseconds free = start_.move + clock();
    if (!first) free = setup_.synchronous ? before.req + setup_.req_width : before.moved;
    load_ = std::max(free, passed_ + clock());
    for (std::uint32_t i = 0; i < width; ++i) {
      freed_[(passed_bytes_ - width + i) & kMask] = load_ - shift_;
    }
    req = std::max(req, load_ + setup_.setup);
  } else if (by_hand_) {
    req = std::max(req, supply_from_ + clock());
  } else if (passed_bytes_ + setup_.width > kFifoBytes) {
    const std::uint32_t byte = passed_bytes_ + setup_.width - kFifoBytes - 1;
    req = std::max(req, freed_[byte & kMask] + shift_ + clock());
  }
  if (!first) {
    req = std::max(
        req, setup_.synchronous ? before.req + setup_.period : setup_.timing.seen(before.release));
  }
  if (setup_.synchronous && units_ >= setup_.offset) {
    req = std::max(req, moved_[(units_ - setup_.offset) & kMask] + shift_ + clock());
  }

  Picoseconds ack = req + setup_.req_to_ack;
  if (!setup_.in) {
    // Data are on the bus since ACK of the unit before was released, or since REQ.
    Picoseconds data = data_ahead_ ? before.release : req;
    if (first) data = start_.data_since == kWithReq ? req : start_.data_since;
    ack = std::max(ack, data + setup_.ack_setup);
  }
  if (setup_.synchronous) {
    ack = std::max(ack, first ? start_.ack_from : before.ack + setup_.ack_period);
  }
  last_.req = req;
  last_.ack = ack;
  last_.moved = setup_.timing.seen(ack);
  last_.release =
      setup_.synchronous ? ack + setup_.ack_width : last_.moved + setup_.req_release_to_ack_release;
  if (first) {
    hold(start_.release_from);
    first_ = last_;
  }
  moved_[units_ & kMask] = last_.moved - shift_;
  if (!setup_.in) pass_out(width);
  computed_ += width;
  ++units_;
  if (!first) note_step(before, passed_before);
}

/// Counts how often all times have advanced by the same step.
void TransactionStream::note_step(const Unit& before, Picoseconds passed_before) {
  const Picoseconds step = last_.req - before.req;
  const bool even = last_.ack - before.ack == step && last_.moved - before.moved == step &&
                    passed_ - passed_before == step && step == step_;
  repeats_ = even ? repeats_ + 1 : 0;
  step_ = step;
}

/// Skips full units that repeat the step. The last ones of a supply are left, since the unit after
/// them may be narrower, or late.
void TransactionStream::skip() {
  const std::uint32_t limit = std::min(supplied_, bytes_ - 1);
  if (computed_ + setup_.width > limit) return;
  const std::uint32_t units = (limit - computed_) / setup_.width;
  advance(units * step_);
  computed_ += units * setup_.width;
}

void TransactionStream::run(TransactionStream* known) {
  const bool notes = known != nullptr && rested();
  if (notes && known->rested_at_ != kNotRested && known->setup_ == setup_ &&
      known->computed_ - known->rested_at_ < supplied_ - computed_) {
    repeat_start(*known);
  } else if (notes) {
    rested_at_ = computed_;
    while (ready() && repeats_ <= reach_) step();
    if (repeats_ > reach_) *known = *this;
  }
  while (ready()) {
    if (repeats_ > reach_) skip();
    if (ready()) step();
  }
}

Picoseconds TransactionStream::balanced() const {
  const TransactionTiming& timing = setup_.timing;
  if (computed_ == 0) return start_.move + clock();
  Picoseconds rest = std::max(last_.moved + clock(), timing.seen(last_.release));
  if (setup_.synchronous) rest = std::max(rest, last_.req + setup_.req_width + clock());
  return rest;
}

}  // namespace headstack::tlm
