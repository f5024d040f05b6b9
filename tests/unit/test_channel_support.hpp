// SPDX-License-Identifier: Apache-2.0
// Common code of the channel's tests. Expectations come from the definitions alone (CRCs by long
// division, fields by hand). A sink notes every call with its picosecond.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/channel/hda_sink.hpp"
#include "sim/description/description.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/units.hpp"
#include "tests/support.hpp"

namespace headstack::channel::test {

using headstack::test::shipped;
using headstack::test::small_design;

/// CRC-16/CCITT-FALSE by its definition, bit by bit.
inline std::uint32_t bitwise_crc16(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xFFFF;
  for (const std::uint8_t byte : bytes) {
    for (int bit = 7; bit >= 0; --bit) {
      const bool feedback = (((crc >> 15) ^ (byte >> bit)) & 1U) != 0;
      crc = (crc << 1) & 0xFFFFU;
      if (feedback) crc ^= 0x1021U;
    }
  }
  return crc;
}

/// CRC-32 of IEEE 802.3 by its definition, bit by bit.
inline std::uint32_t bitwise_crc32(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xFFFF'FFFF;
  for (const std::uint8_t byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool feedback = ((crc ^ (byte >> bit)) & 1U) != 0;
      crc >>= 1;
      if (feedback) crc ^= 0xEDB8'8320U;
    }
  }
  return ~crc;
}

/// The table in hdl/README.md, row by row.
inline std::vector<std::uint8_t> expected_sector(const drive::Design& design,
                                                 const geometry::Chs& at,
                                                 const std::vector<std::uint8_t>& data) {
  std::vector<std::uint8_t> raw(design.format.preamble_bytes, 0);
  const auto put = [&raw](std::uint32_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i) raw.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  };
  put(0xA1FE, 2);
  put(at.cylinder, 3);
  put(at.head, 1);
  put(at.sector, 2);
  put(bitwise_crc16(std::vector<std::uint8_t>(raw.end() - 6, raw.end())), 2);
  raw.insert(raw.end(), data.begin(), data.end());
  put(bitwise_crc32(data), 4);
  raw.insert(raw.end(), design.format.gap_bytes, 0);
  return raw;
}

inline std::vector<std::uint8_t> random_bytes(std::uint32_t seed, std::size_t count) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// Notes every call with its time; supplies the bytes of `to_write`, then 0xEE.
class Recorder : public HdaSink {
 public:
  explicit Recorder(std::function<Picoseconds()> now) : now_(std::move(now)) {}

  void levels(const HdaLevels& now) override { level_changes.push_back({now_(), now}); }
  void index_pulse() override { note('i', index_times); }
  void sector_pulse() override { note('s', sector_times); }
  void byte_strobe(std::uint8_t nrz) override {
    note('b', byte_times);
    bytes.push_back(nrz);
  }
  std::uint8_t nrz_to_write() override {
    order.push_back('w');
    return written < to_write.size() ? to_write[written++] : std::uint8_t{0xEE};
  }

  void forget() {
    order.clear();
    index_times.clear();
    sector_times.clear();
    byte_times.clear();
    bytes.clear();
    level_changes.clear();
  }

  struct LevelChange {
    Picoseconds time;
    HdaLevels levels;
  };
  std::string order;  // of the calls: i, s, w, b
  std::vector<Picoseconds> index_times;
  std::vector<Picoseconds> sector_times;
  std::vector<Picoseconds> byte_times;
  std::vector<std::uint8_t> bytes;
  std::vector<LevelChange> level_changes;
  std::vector<std::uint8_t> to_write;
  std::size_t written = 0;

 private:
  void note(char what, std::vector<Picoseconds>& times) {
    order.push_back(what);
    times.push_back(now_());
  }
  std::function<Picoseconds()> now_;
};

}  // namespace headstack::channel::test
