// SPDX-License-Identifier: Apache-2.0
// The kernel: wire bytes, assertions.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#define FILE_ID FILE_ID_TEST
#include "firmware/events.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "sim/soc/stop_code.hpp"
#include "tests/support.hpp"

namespace headstack {
namespace {

TEST(Bytes, PutThenGet_IsTheSame_AndTheNeighboursStay) {
  std::uint8_t bytes[10];
  const auto edges_kept = [&] { return bytes[0] == 0xEE && bytes[9] == 0xEE; };
  bytes_fill(bytes, 0xEE, 10);
  bytes_put_be64(bytes + 1, 0xFEDCBA9876543210U);
  EXPECT_EQ(bytes_get_be64(bytes + 1), 0xFEDCBA9876543210U);
  EXPECT_TRUE(edges_kept());
  bytes_fill(bytes + 1, 0xEE, 8);
  bytes_put_be24(bytes + 1, 0xABCDEF);
  EXPECT_EQ(bytes_get_be24(bytes + 1), 0xABCDEFU);
  EXPECT_EQ(bytes[4], 0xEE);
  bytes_put_le32(bytes + 5, 0x80000001U);
  EXPECT_EQ(bytes_get_le32(bytes + 5), 0x80000001U);
  EXPECT_EQ(bytes[5], 0x01);
  EXPECT_TRUE(edges_kept());
}

TEST(Assert, FailureNamesFileAndLine) {
  EXPECT_EQ(ASSERT_CODE(FILE_ID_TEST, 0x1234), 0xFF1234U);
  EXPECT_DEATH(ASSERT(1 + 1 == 3), "ASSERT at a test:[0-9]+");
  EXPECT_DEATH(assert_failed(ASSERT_CODE(FILE_ID_CACHE, 12)),
               "ASSERT at firmware/transfer/cache.c:12");
}

/// The file's own name: NAME of `#define FILE_ID FILE_ID_NAME`, or "".
std::string own_name(const std::filesystem::path& file) {
  static const std::regex kOwn("#define FILE_ID (?:FILE_ID_)(\\w+)");
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  std::smatch found;
  return std::regex_search(text, found, kOwn) ? found[1].str() : "";
}

// A report names the file of the table. The files themselves are the reference: each that asserts
// has its row, and numbers are unique.
TEST(Assert, TableOfFiles_IsThatOfTheSources) {
  std::map<std::string, std::string> rows;  // by path
  std::set<int> numbers = {FILE_ID_NONE, FILE_ID_TEST};
#define ASSERTING_FILE(number, name, path) \
  rows[path] = #name;                      \
  EXPECT_TRUE(numbers.insert(number).second) << number << ", " << (path);
#include "firmware/kernel/file_ids.def"
#undef ASSERTING_FILE
  std::map<std::string, std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::source_dir() / "firmware")) {
    if (entry.path().extension() != ".c") continue;
    const std::string name = own_name(entry.path());
    if (!name.empty()) {
      files[std::filesystem::relative(entry.path(), test::source_dir()).string()] = name;
    }
  }
  EXPECT_EQ(rows, files);
  EXPECT_EQ(soc::stop_text(ASSERT_CODE(FILE_ID_MEDIA, 7)),
            "assertion at firmware/transfer/media.c:7");
  EXPECT_EQ(soc::stop_text(0x8500'1234),
            "exception 5 (mcause), load access fault, a bus error, at 0x1234");
  EXPECT_EQ(soc::stop_text(0xFF00'1234), "stack overflow at 0x1234") << "sim/soc/core_fault.hpp";
}

TEST(TraceEvents, EveryNumber_HasARegister) {
#define EXPECT_IN_RANGE(number, name, argument) EXPECT_LT(number, TRACE_EVENT_COUNT) << #name;
  TRACE_EVENTS(EXPECT_IN_RANGE)
#undef EXPECT_IN_RANGE
}

}  // namespace
}  // namespace headstack
