// SPDX-License-Identifier: Apache-2.0
// Writes a Perfetto trace (perfetto.dev) for its user interface: tracks with slices, instants and
// counters.
//
// Source of the encoding: Perfetto's protos/perfetto/trace, TracePacket, TrackDescriptor and
// TrackEvent. Times are truncated to Perfetto's whole nanoseconds. Calls may come in any order of
// time, but those of one track and one time must come in the order of events.
//
// The file has packets by time, then by track, whatever the order of calls for different tracks,
// since that depends on the platform. A track is described before its first packet. Packets are
// held back until release().
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "host/output/output_file.hpp"
#include "sim/units.hpp"

namespace headstack::observe {

/// An annotation, shown when its slice or instant is selected.
struct Note {
  const char* name;
  std::uint64_t value = 0;
  std::string text = {};  // shown instead of the value, unless it is empty
};
using Notes = std::vector<Note>;

class PerfettoWriter {
 public:
  using Track = std::uint64_t;
  static constexpr Track kNoParent = 0;
  static constexpr std::uint64_t kNoFlow = 0;

  /// Throws std::runtime_error when the file cannot be made.
  explicit PerfettoWriter(const std::string& path);

  /// Adds a track of slices, or a group of other tracks. Children are shown in the order of `rank`.
  Track add_track(const std::string& name, Track parent = kNoParent, unsigned rank = 0);
  Track add_counter(const std::string& name, const std::string& unit, Track parent, unsigned rank);

  /// Begins a slice. Slices of one track nest; arrows connect slices with the same `flow`.
  void begin(Track track, Picoseconds at, const std::string& name, const Notes& notes = {},
             std::uint64_t flow = kNoFlow);
  void end(Track track, Picoseconds at);
  void instant(Track track, Picoseconds at, const std::string& name, const Notes& notes = {});
  void count(Track counter, Picoseconds at, std::int64_t value);

  /// Allows all packets before `until` to be written. No later call may have an earlier time.
  void release(Picoseconds until);
  /// Writes all released packets to the file, so that it can be read. Throws output::OutputError.
  void flush();
  /// Writes all packets, released or not, and closes the file.
  void close();

 private:
  struct Event;
  Track describe(const std::string& name, Track parent, unsigned rank, const std::string* unit);
  void write(const Event& event);
  void show(Track track);
  void pass_on();

  /// Sort key of a packet: time, track, number.
  using Place = std::tuple<Picoseconds, Track, std::uint64_t>;
  struct Description {
    std::string packet;
    Track parent;
    bool is_written = false;
  };

  output::OutputFile file_;
  std::string packets_;
  std::vector<Description> tracks_;  // track n is element n - 1
  std::map<Place, std::string> held_;
  std::uint64_t count_ = 0;
};

}  // namespace headstack::observe
