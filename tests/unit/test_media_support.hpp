// SPDX-License-Identifier: Apache-2.0
/// @file
/// Common code of the media tests: sectors as values, seeded bytes, temporary files.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/media/media_store.hpp"

namespace headstack::media {

using Bytes = std::vector<std::uint8_t>;

/// One sector as a value.
struct Sector {
  Bytes data;
  Bytes check;
};

inline bool operator==(const Sector& a, const Sector& b) {
  return a.data == b.data && a.check == b.check;
}

inline Sector empty_sector(const MediaGeometry& geometry) {
  return {Bytes(geometry.sector_bytes), Bytes(geometry.check_bytes)};
}

/// A sector that differs for each (geometry, tag). Its check bytes are arbitrary, too.
inline Sector tagged_sector(const MediaGeometry& geometry, std::uint64_t tag) {
  std::mt19937_64 generator(tag);
  Sector sector = empty_sector(geometry);
  for (std::uint8_t& byte : sector.data) byte = static_cast<std::uint8_t>(generator());
  for (std::uint8_t& byte : sector.check) byte = static_cast<std::uint8_t>(generator());
  return sector;
}

inline void write_sector(MediaStore& store, SectorIndex index, const Sector& sector) {
  store.write(index, sector.data.data(), sector.check.data());
}

inline Sector peek_sector(const MediaStore& store, SectorIndex index) {
  Sector sector = empty_sector(store.geometry());
  store.peek(index, sector.data.data(), sector.check.data());
  return sector;
}

/// Reads a sector, and expects the status.
inline Sector read_sector(MediaStore& store, SectorIndex index, ReadStatus expected_status) {
  Sector sector = empty_sector(store.geometry());
  EXPECT_EQ(store.read(index, sector.data.data(), sector.check.data()), expected_status)
      << "sector " << index;
  return sector;
}

/// CRC-32 over the data, big-endian: the rule that media_store.hpp states for 4 check bytes.
inline Bytes crc_bytes(const Bytes& data) {
  const std::uint32_t crc = crc32_ieee(data.data(), data.size());
  return {static_cast<std::uint8_t>(crc >> 24), static_cast<std::uint8_t>(crc >> 16),
          static_cast<std::uint8_t>(crc >> 8), static_cast<std::uint8_t>(crc)};
}

/// A path for a test's media file. No file exists at first, and none remains.
class ScratchPath {
 public:
  ScratchPath() {
    static int count = 0;
    path_ = ::testing::TempDir() + "headstack_media_" + std::to_string(::getpid()) + "_" +
            std::to_string(count++) + ".media";
    std::remove(path_.c_str());
  }
  ~ScratchPath() { std::remove(path_.c_str()); }
  ScratchPath(const ScratchPath&) = delete;
  ScratchPath& operator=(const ScratchPath&) = delete;

  [[nodiscard]] const std::string& str() const { return path_; }

 private:
  std::string path_;
};

inline Bytes file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The message that open_file() throws; fails the test if it throws none.
inline std::string open_error(const std::string& path, const MediaGeometry& geometry, FileMode mode,
                              const CheckCode& check_code = {}) {
  try {
    const MediaStore store = MediaStore::open_file(path, geometry, mode, check_code);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  ADD_FAILURE() << "open_file() of " << path << " threw nothing";
  return {};
}

}  // namespace headstack::media
