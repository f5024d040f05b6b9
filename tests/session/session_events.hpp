// Sessions of one small exercise, and every event of their firmware.
#pragma once

#include <tuple>
#include <vector>

#include "host/session/session.hpp"
#include "sim/drive/load.hpp"

namespace headstack::session {

using Events = std::vector<std::tuple<std::uint64_t, unsigned, std::uint32_t>>;

class EventLog : public observe::RunObserver {
 public:
  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    events.emplace_back(edge, number, argument);
  }
  Events events;
};

inline drive::DriveDescription small_drive() {
  return drive::load(HEADSTACK_SOURCE_DIR "/sim/drives/zoned_179mb.toml").description;
}

/// Blocks of which no two bytes in a row are the same.
inline std::vector<std::uint8_t> pattern(std::uint32_t blocks) {
  std::vector<std::uint8_t> data(blocks * 512);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::uint8_t>(i * 7 + i / 512);
  }
  return data;
}

/// A write and two reads, 4,000 blocks apart.
inline void exercise(Session& session) {
  session.make_ready();
  session.write_blocks(100, pattern(4));
  session.read_blocks(4100, 4);
  session.read_blocks(100, 4);
}

inline Events events_of(const Options& options, PlatformMaker make_rtl = nullptr) {
  EventLog log;
  Session session(small_drive(), options, {&log}, make_rtl);
  exercise(session);
  return log.events;
}

}  // namespace headstack::session
