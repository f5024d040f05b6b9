// SPDX-License-Identifier: Apache-2.0
#include "host/observe/perfetto_writer.hpp"

#include <limits>
#include <protozero/pbf_writer.hpp>

namespace headstack::observe {
namespace {

using protozero::pbf_writer;

constexpr Picoseconds kPicosecondsPerNanosecond = 1000;
constexpr std::size_t kBlockBytes = 1U << 16;
constexpr std::uint32_t kSequence = 1;  // the same for all packets, since one writer makes them

// Field numbers of Perfetto's messages.
enum TraceField : std::uint32_t { kPacket = 1 };
enum PacketField : std::uint32_t {
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
};
enum DescriptorField : std::uint32_t {
  kUuid = 1,
  kTrackName = 2,
  kParentUuid = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kSiblingOrderRank = 12,
  kSiblingMergeBehavior = 15,
};
enum CounterField : std::uint32_t { kUnitName = 6 };
enum EventField : std::uint32_t {
  kAnnotations = 4,
  kType = 9,
  kTrackUuid = 11,
  kEventName = 23,
  kCounterValue = 30,
  kFlowIds = 47,
};
enum AnnotationField : std::uint32_t { kUintValue = 3, kStringValue = 6, kAnnotationName = 10 };

// Values of Perfetto's enumerations.
constexpr std::uint32_t kIncrementalStateCleared = 1;
constexpr std::int32_t kOrderExplicit = 3;
constexpr std::int32_t kMergeNone = 2;
enum EventType : std::int32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCount = 4 };

std::string first_packet() {
  std::string bytes;
  pbf_writer trace(bytes);
  pbf_writer packet(trace, kPacket);
  packet.add_uint32(kSequenceId, kSequence);
  packet.add_uint32(kSequenceFlags, kIncrementalStateCleared);
  packet.commit();
  return bytes;
}

}  // namespace

struct PerfettoWriter::Event {
  EventType type;
  Track track;
  Picoseconds at;
  const std::string* name = nullptr;
  const Notes* notes = nullptr;
  std::uint64_t flow = kNoFlow;
  std::int64_t value = 0;
};

PerfettoWriter::PerfettoWriter(const std::string& path) : file_(path), packets_(first_packet()) {}

PerfettoWriter::Track PerfettoWriter::describe(const std::string& name, Track parent, unsigned rank,
                                               const std::string* unit) {
  const Track track = tracks_.size() + 1;
  tracks_.push_back({"", parent});
  pbf_writer trace(tracks_.back().packet);
  pbf_writer packet(trace, kPacket);
  packet.add_uint32(kSequenceId, kSequence);
  pbf_writer descriptor(packet, kTrackDescriptor);
  descriptor.add_uint64(kUuid, track);
  descriptor.add_string(kTrackName, name);
  if (parent != kNoParent) descriptor.add_uint64(kParentUuid, parent);
  descriptor.add_enum(kChildOrdering, kOrderExplicit);
  descriptor.add_int32(kSiblingOrderRank, static_cast<std::int32_t>(rank));
  descriptor.add_enum(kSiblingMergeBehavior, kMergeNone);
  if (unit != nullptr) {
    pbf_writer counter(descriptor, kCounter);
    counter.add_string(kUnitName, *unit);
  }
  return track;
}

PerfettoWriter::Track PerfettoWriter::add_track(const std::string& name, Track parent,
                                                unsigned rank) {
  return describe(name, parent, rank, nullptr);
}

PerfettoWriter::Track PerfettoWriter::add_counter(const std::string& name, const std::string& unit,
                                                  Track parent, unsigned rank) {
  return describe(name, parent, rank, &unit);
}

void PerfettoWriter::write(const Event& told) {
  pbf_writer trace(held_[{told.at, told.track, count_++}]);
  {
    pbf_writer packet(trace, kPacket);
    packet.add_uint64(kTimestamp, static_cast<std::uint64_t>(told.at / kPicosecondsPerNanosecond));
    packet.add_uint32(kSequenceId, kSequence);
    pbf_writer event(packet, kTrackEvent);
    event.add_enum(kType, told.type);
    event.add_uint64(kTrackUuid, told.track);
    if (told.name != nullptr) event.add_string(kEventName, *told.name);
    if (told.type == kCount) event.add_int64(kCounterValue, told.value);
    if (told.flow != kNoFlow) event.add_fixed64(kFlowIds, told.flow);
    if (told.notes != nullptr) {
      for (const Note& note : *told.notes) {
        pbf_writer annotation(event, kAnnotations);
        annotation.add_string(kAnnotationName, note.name);
        if (note.text.empty()) {
          annotation.add_uint64(kUintValue, note.value);
        } else {
          annotation.add_string(kStringValue, note.text);
        }
      }
    }
  }
}

/// Describes the track, after the groups that contain it.
void PerfettoWriter::show(Track track) {
  if (track == kNoParent || tracks_[track - 1].is_written) return;
  Description& description = tracks_[track - 1];
  description.is_written = true;
  show(description.parent);
  packets_ += description.packet;
}

void PerfettoWriter::release(Picoseconds until) {
  while (!held_.empty() && std::get<0>(held_.begin()->first) < until) {
    show(std::get<1>(held_.begin()->first));
    packets_ += held_.begin()->second;
    held_.erase(held_.begin());
    if (packets_.size() >= kBlockBytes) pass_on();
  }
}

void PerfettoWriter::begin(Track track, Picoseconds at, const std::string& name, const Notes& notes,
                           std::uint64_t flow) {
  write({kSliceBegin, track, at, &name, &notes, flow, 0});
}
void PerfettoWriter::end(Track track, Picoseconds at) {
  write({kSliceEnd, track, at, nullptr, nullptr, kNoFlow, 0});
}
void PerfettoWriter::instant(Track track, Picoseconds at, const std::string& name,
                             const Notes& notes) {
  write({kInstant, track, at, &name, &notes, kNoFlow, 0});
}
void PerfettoWriter::count(Track counter, Picoseconds at, std::int64_t value) {
  write({kCount, counter, at, nullptr, nullptr, kNoFlow, value});
}

void PerfettoWriter::flush() {
  pass_on();
  file_.commit();
}

void PerfettoWriter::close() {
  release(std::numeric_limits<Picoseconds>::max());
  pass_on();
  file_.close();
}

/// Passes packets on to the file. flush() and close() report errors of writing.
void PerfettoWriter::pass_on() {
  file_ << packets_;
  packets_.clear();
}

}  // namespace headstack::observe
