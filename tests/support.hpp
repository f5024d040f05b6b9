// SPDX-License-Identifier: Apache-2.0
// Common code of tests: shipped drives, small drives, files beside the source tree.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <type_traits>

#include "sim/drive/load.hpp"
#include "tests/paths.hpp"

namespace headstack::test {

inline std::filesystem::path source_dir() { return source_root(); }

/// Reference data that is not part of the project is beside its source tree.
inline std::filesystem::path shared_dir() { return source_dir().parent_path() / "shared"; }

inline drive::DriveDescription shipped(const std::string& name) {
  return drive::load(source_dir() / "sim/drives" / (name + ".toml")).description;
}

/// The drives that the project promises to ship.
inline constexpr const char* kShippedDrives[] = {
    "abstract_1000_track", "atlas_10k", "cheetah_4lp", "cheetah_9lp", "eagle",      "hp_c2247a",
    "hp_c2490a",           "hp_c3323a", "mvax_71mb",   "paper_179mb", "zoned_179mb"};

/// A small drive to vary: 4 cylinders, 2 heads, 10 sectors, 6000 rpm (10 ms), a flat 2 ms seek.
inline drive::Design small_design() {
  drive::Design design;
  design.rpm = 6000;
  design.heads = 2;
  design.cylinders = 4;
  design.seek.pieces = {{3, 2.0, 0, 0, 0}};
  design.seek.coast_cylinders_per_ms = 1;
  drive::Zone zone;
  zone.last_cylinder = 3;
  zone.sectors_per_track = 10;
  design.zones = {zone};
  return design;
}

/// Names a parameterised test: the drive's name, or the `what` of a table's row.
template <class Case>
std::string case_name(const testing::TestParamInfo<Case>& test) {
  if constexpr (std::is_same_v<Case, const char*>) {
    return test.param;
  } else {
    return test.param.what;
  }
}

}  // namespace headstack::test

/// Skips the test, with the reason, if a file outside the project is missing.
#define HEADSTACK_REQUIRE_FILE(path)                                                          \
  if (!std::filesystem::exists(path)) {                                                       \
    GTEST_SKIP() << "reference data not present: " << (path) << " (not part of the project)"; \
  }
