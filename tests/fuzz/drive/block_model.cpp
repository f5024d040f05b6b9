// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/block_model.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headstack::fuzz {
namespace {

using initiator::TagType;

std::string time_text(Picoseconds time) { return fmt::format("{:.6f} ms", to_ms(time)); }

}  // namespace

OperationId BlockModel::add(const BlockOperation& operation) {
  operations_.push_back(operation);
  const auto id = static_cast<OperationId>(operations_.size());
  if (!operation.is_write) return id;
  for (std::uint32_t i = 0; i < operation.blocks; ++i) {
    touches_of(operation.lba + i).push_back({id});
  }
  return id;
}

void BlockModel::arrive(OperationId id, Picoseconds at, bool restricted) {
  BlockOperation& operation = operations_[id - 1];
  operation.begin = at;
  operation.arrival = ++arrivals_;
  operation.restricted = restricted;
}

void BlockModel::end(OperationId id, Picoseconds at, Effect effect, std::uint32_t blocks_moved) {
  BlockOperation& operation = operations_[id - 1];
  operation.end = at;
  operation.effect = effect;
  operation.blocks_moved = blocks_moved;
}

BlockModel::Touches& BlockModel::touches_of(std::uint32_t lba) {
  Touches& touches = touches_[lba];
  if (touches.empty()) touches.emplace_back();
  return touches;
}

const BlockModel::Touches* BlockModel::find_touches(std::uint32_t lba) const {
  const auto found = touches_.find(lba);
  return found == touches_.end() ? nullptr : &found->second;
}

/// Applies the rules of the header to two operations that overlap.
bool BlockModel::precedes(const BlockOperation& a, const BlockOperation& b) {
  if (a.end != kOpen && a.end <= b.begin) return true;  // R1
  if (a.arrival == 0 || b.arrival == 0 || a.arrival > b.arrival) return false;
  if (b.attribute == TagType::kHeadOfQueue) return false;                                 // R3
  if (a.attribute == TagType::kHeadOfQueue) return true;                                  // R3
  if (a.attribute == TagType::kOrdered || b.attribute == TagType::kOrdered) return true;  // R2
  return b.restricted && a.host == b.host;                                                // R4
}

bool BlockModel::comes_before(const Touch& a, const Touch& b) const {
  if (a.write == 0 || b.write == 0) return a.write == 0 && b.write != 0;
  if (precedes(operation(a.write), operation(b.write))) return true;
  return std::find(a.replaced_by.begin(), a.replaced_by.end(), b.write) != a.replaced_by.end();
}

/// Whether a write is certainly done, and certainly before the read.
bool BlockModel::is_done_before(const Touch& write, const BlockOperation& read) const {
  if (write.write == 0) return true;
  if (write.void_here) return false;
  if (write.seen != kOpen && write.seen <= read.begin) return true;
  const BlockOperation& done = operation(write.write);
  const bool certain = done.effect == Effect::kCertain || write.seen != kOpen;
  return certain && precedes(done, read);
}

/// The reason why this write cannot be on the block, for any reader.
std::string BlockModel::find_fault(const Touch* touch, std::uint32_t lba, Version version) const {
  if (touch == nullptr) return fmt::format("version {} was never written to it", version);
  if (version == 0) return {};
  const BlockOperation& write = operation(version);
  if (write.effect == Effect::kNone)
    return fmt::format("it is that of a refused write, {}", tell(version));
  if (lba - write.lba >= write.blocks_moved) {
    return fmt::format("its data did not move: only {} blocks did, {}", write.blocks_moved,
                       tell(version));
  }
  if (touch->void_here) {
    return fmt::format("an earlier read, after the end of {}, saw what was there before",
                       tell(version));
  }
  return {};
}

std::string BlockModel::see(OperationId read_id, std::uint32_t lba, Version version) {
  const BlockOperation& read = operation(read_id);
  if (is_forgotten(lba, read.begin)) return {};
  if (find_touches(lba) == nullptr && version == 0) return {};
  Touches& touches = touches_of(lba);
  const auto touch = std::find_if(touches.begin(), touches.end(),
                                  [&](const Touch& one) { return one.write == version; });
  const std::string fault = find_fault(touch == touches.end() ? nullptr : &*touch, lba, version);
  if (!fault.empty()) return fault;
  if (version != 0 && precedes(read, operation(version))) {
    return fmt::format("the read comes before {}", tell(version));
  }
  for (const Touch& other : touches) {
    if (other.write == version || !comes_before(*touch, other)) continue;
    if (is_done_before(other, read)) {
      return fmt::format("{} comes after it, and before the read", tell(other.write));
    }
  }
  settle(&touches, &*touch, read);
  return {};
}

/// A write that ended before the read began, and was not seen, was overwritten or never done.
void BlockModel::settle(Touches* touches, Touch* seen, const BlockOperation& read) {
  if (read.end < seen->seen) seen->seen = read.end;
  for (Touch& other : *touches) {
    if (other.write == seen->write || other.write == 0) continue;
    const BlockOperation& write = operation(other.write);
    if (write.end == kOpen || write.end > read.begin) continue;
    if (comes_before(*seen, other)) {
      other.void_here = true;
    } else if (!comes_before(other, *seen)) {
      other.replaced_by.push_back(seen->write);
    }
  }
}

std::string BlockModel::find_media_error(std::uint32_t lba, Version version, Picoseconds since,
                                         OperationId demanded) const {
  if (is_forgotten(lba, kOpen - 1)) return {};
  const Touches* touches = find_touches(lba);
  if (touches == nullptr) {
    return version == 0 ? "" : fmt::format("version {} was never written to it", version);
  }
  const auto touch = std::find_if(touches->begin(), touches->end(),
                                  [&](const Touch& one) { return one.write == version; });
  const std::string fault = find_fault(touch == touches->end() ? nullptr : &*touch, lba, version);
  if (!fault.empty()) return fault;
  for (const Touch& other : *touches) {
    if (other.write == version || other.write == 0 || !comes_before(*touch, other)) continue;
    const BlockOperation& write = operation(other.write);
    const bool must_be_there = write.end <= since || other.write == demanded;
    if (write.effect == Effect::kCertain && must_be_there) {
      return fmt::format("{} comes after it", tell(other.write));
    }
  }
  return {};
}

bool BlockModel::is_older(std::uint32_t lba, Version version, OperationId write) const {
  const Touches* touches = find_touches(lba);
  if (touches == nullptr || is_forgotten(lba, kOpen - 1)) return false;
  const auto touch_of = [&](OperationId id) {
    return std::find_if(touches->begin(), touches->end(),
                        [&](const Touch& one) { return one.write == id; });
  };
  const auto seen = touch_of(version);
  const auto wanted = touch_of(write);
  return seen != touches->end() && wanted != touches->end() && comes_before(*seen, *wanted);
}

void BlockModel::forget(std::uint32_t lba, std::uint32_t blocks, Picoseconds at) {
  forgotten_.push_back({lba, blocks, at});
}

bool BlockModel::is_forgotten(std::uint32_t lba, Picoseconds begin) const {
  return std::any_of(forgotten_.begin(), forgotten_.end(), [&](const Forgotten& one) {
    if (lba - one.lba >= one.blocks) return false;
    const Touches* touches = find_touches(lba);
    if (touches == nullptr) return true;
    return std::none_of(touches->begin(), touches->end(), [&](const Touch& touch) {
      if (touch.write == 0) return false;
      const BlockOperation& write = operation(touch.write);
      return write.effect == Effect::kCertain && write.begin > one.at && write.end <= begin;
    });
  });
}

std::vector<std::uint32_t> BlockModel::touched() const {
  std::vector<std::uint32_t> blocks;
  for (const auto& entry : touches_) blocks.push_back(entry.first);
  return blocks;
}

std::string BlockModel::tell(Version version) const {
  if (version == 0) return "what the drive came with";
  const BlockOperation& write = operation(version);
  std::string text =
      fmt::format("version {} (h{} WRITE {} +{}", version, write.host, write.lba, write.blocks);
  text += write.begin == kOpen ? ", not arrived" : ", arrived at " + time_text(write.begin);
  if (write.end == kOpen) return text + ", under way)";
  const char* how = write.effect == Effect::kCertain ? "GOOD"
                    : write.effect == Effect::kNone  ? "refused"
                                                     : "ended without GOOD";
  return text + fmt::format(", {} at {})", how, time_text(write.end));
}

}  // namespace headstack::fuzz
