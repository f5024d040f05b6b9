// SPDX-License-Identifier: Apache-2.0
/// @file
/// A track as bytes, after "The format of a sector" in hdl/README.md, and the channel that passes
/// it under the head. It is written from the format alone, and shares no code with the RTL or the
/// simulator.
#pragma once

#include <cstdint>
#include <vector>

#include "hdl_ports.hpp"

namespace headstack::disk_test {

/// CRC-16/CCITT-FALSE, bit by bit: polynomial 0x1021, preset 0xFFFF, high bit first.
inline std::uint16_t crc16(const std::uint8_t* data, std::size_t bytes) {
  std::uint32_t rest = 0xFFFF;
  for (std::size_t i = 0; i < bytes; ++i) {
    for (int bit = 7; bit >= 0; --bit) {
      const bool carry = (((rest >> 15) ^ (data[i] >> bit)) & 1U) != 0;
      rest = (rest << 1) & 0xFFFF;
      if (carry) rest ^= 0x1021;
    }
  }
  return static_cast<std::uint16_t>(rest);
}

/// CRC-32 of IEEE 802.3 in the form of the standard. The polynomial is 0x04C11DB7. Each byte goes
/// low bit first into a register that shifts left, preset with ones. The result is complemented and
/// bit-reversed.
inline std::uint32_t crc32(const std::uint8_t* data, std::size_t bytes) {
  std::uint32_t rest = 0xFFFFFFFF;
  for (std::size_t i = 0; i < bytes; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool carry = ((rest >> 31) ^ ((data[i] >> bit) & 1U)) != 0;
      rest <<= 1;
      if (carry) rest ^= 0x04C11DB7;
    }
  }
  std::uint32_t reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= ((~rest >> bit) & 1U) << (31 - bit);
  return reversed;
}

/// Sizes in bytes, except `sectors`.
struct TrackFormat {
  std::uint32_t sectors = 6;
  std::uint32_t preamble = 12;
  std::uint32_t data = 32;
  std::uint32_t gap = 10;
  std::uint32_t cylinder = 0x012345;
  std::uint32_t head = 0x67;
  std::uint32_t first_sector = 0x0102;  // number in the header of the first sector

  std::uint32_t header_at() const { return preamble + 2; }
  std::uint32_t data_at() const { return header_at() + 8; }
  std::uint32_t check_at() const { return data_at() + data; }
  std::uint32_t gap_at() const { return check_at() + 4; }
  std::uint32_t raw() const { return gap_at() + gap; }
};

using Bytes = std::vector<std::uint8_t>;

/// A formatted track. Data differs from sector to sector and from byte to byte.
class Track {
 public:
  explicit Track(const TrackFormat& format)
      : format_(format), bytes_(format.sectors * format.raw()) {
    for (std::uint32_t place = 0; place < format.sectors; ++place) {
      std::uint8_t* at = sector(place);
      at[format.preamble] = 0xA1;
      at[format.preamble + 1] = 0xFE;
      write_header(place, format.cylinder, format.head, format.first_sector + place);
      for (std::uint32_t i = 0; i < format.data; ++i) {
        at[format.data_at() + i] = static_cast<std::uint8_t>(37 * place + 11 * i + (i >> 8) + 5);
      }
      write_check(place);
    }
  }

  const TrackFormat& format() const { return format_; }
  Bytes& bytes() { return bytes_; }
  /// First raw byte of the sector at a place, 0-based.
  std::uint8_t* sector(std::uint32_t place) { return bytes_.data() + place * format_.raw(); }

  Bytes data(std::uint32_t place) {
    const std::uint8_t* at = sector(place) + format_.data_at();
    return Bytes(at, at + format_.data);
  }
  /// Data of several sectors, one after the other.
  Bytes data(std::uint32_t place, std::uint32_t count) {
    Bytes all;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Bytes one = data(place + i);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  void write_header(std::uint32_t place, std::uint32_t cylinder, std::uint32_t head,
                    std::uint32_t number) {
    const std::uint32_t fields[] = {cylinder >> 16, cylinder >> 8, cylinder,
                                    head,           number >> 8,   number};
    std::uint8_t* at = sector(place) + format_.header_at();
    for (int i = 0; i < 6; ++i) at[i] = static_cast<std::uint8_t>(fields[i]);
    const std::uint16_t crc = crc16(at, 6);
    at[6] = static_cast<std::uint8_t>(crc >> 8);
    at[7] = static_cast<std::uint8_t>(crc);
  }

  /// The right check bytes for a sector's present data.
  Bytes good_check(std::uint32_t place) {
    const std::uint32_t crc = crc32(sector(place) + format_.data_at(), format_.data);
    return {static_cast<std::uint8_t>(crc >> 24), static_cast<std::uint8_t>(crc >> 16),
            static_cast<std::uint8_t>(crc >> 8), static_cast<std::uint8_t>(crc)};
  }
  Bytes check(std::uint32_t place) {
    const std::uint8_t* at = sector(place) + format_.check_at();
    return Bytes(at, at + 4);
  }
  void write_check(std::uint32_t place) {
    const Bytes check = good_check(place);
    for (std::uint32_t i = 0; i < 4; ++i) sector(place)[format_.check_at() + i] = check[i];
  }

 private:
  TrackFormat format_;
  Bytes bytes_;
};

/// Signals of the assembly in one cycle.
struct Passing {
  bool sector_pulse = false;
  bool index_pulse = false;
  bool strobe = false;
  std::uint8_t nrz = 0;
};

/// The track that turns under the head. The strobe of a byte and the pulse of a sector come at its
/// begin. An event between two clock edges is seen at the second, with the gates as they were since
/// the first.
class Channel {
 public:
  /// @param byte_time_milliclocks  Time of a byte in 1/1000 clock, 1000 or more.
  /// @param start_byte             Byte of the track under the head at time 0.
  Channel(Track& track, std::uint64_t byte_time_milliclocks, std::uint64_t start_byte = 0)
      : track_(track), byte_time_(byte_time_milliclocks), next_byte_(start_byte) {}

  Passing step(const ports::ChannelOut& gates) {
    time_ += 1000;
    Passing passing;
    if (next_time_ > time_) return passing;
    next_time_ += byte_time_;
    const std::uint64_t at = next_byte_++ % track_.bytes().size();
    passing.index_pulse = at == 0 && gates.index_listen;
    passing.sector_pulse = at % track_.format().raw() == 0 && gates.sector_listen;
    passing.strobe = gates.read_gate || gates.write_gate;
    if (gates.read_gate) passing.nrz = track_.bytes()[at];
    if (gates.write_gate) {
      track_.bytes()[at] = gates.nrz;
      written_.push_back(static_cast<std::uint32_t>(at));
    }
    index_pulses_ += passing.index_pulse;
    strobes_ += passing.strobe;
    return passing;
  }

  /// The next byte of the track to pass.
  std::uint32_t position() const {
    return static_cast<std::uint32_t>(next_byte_ % track_.bytes().size());
  }
  /// Places of all bytes ever written, in order.
  const std::vector<std::uint32_t>& written() const { return written_; }
  std::uint32_t index_pulses() const { return index_pulses_; }
  std::uint64_t strobes() const { return strobes_; }
  std::uint64_t cycles_per_revolution() const {
    return track_.bytes().size() * byte_time_ / 1000 + 1;
  }

 private:
  Track& track_;
  std::uint64_t byte_time_;
  std::uint64_t time_ = 0;
  std::uint64_t next_time_ = 0;
  std::uint64_t next_byte_;
  std::vector<std::uint32_t> written_;
  std::uint32_t index_pulses_ = 0;
  std::uint64_t strobes_ = 0;
};

}  // namespace headstack::disk_test
