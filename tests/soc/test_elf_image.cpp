// SPDX-License-Identifier: Apache-2.0
// The ELF loader: what it takes, and one clear error for each thing that it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include "sim/soc/soc.hpp"
#include "tests/paths.hpp"

namespace headstack::soc {
namespace {

using testing::HasSubstr;

std::vector<std::uint8_t> self_test_file() {
  std::ifstream in(headstack::test::built(SOC_SELF_TEST_ELF), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string error_of(const std::vector<std::uint8_t>& file) {
  try {
    ElfImage::parse("x.elf", file);
  } catch (const ElfError& error) {
    return error.what();
  }
  return "no error";
}

// Offsets are those of the ELF-32 header: e_type at 16, e_machine at 18, class at 4, e_phoff at 28,
// e_shoff at 32.
TEST(ElfImage, EachDefect_IsNamed) {
  struct Case {
    std::size_t offset;
    std::uint8_t value;
    const char* message;
  };
  for (const Case& c : {Case{0, 0x7E, "not an ELF file"}, Case{4, 2, "for another machine"},
                        Case{5, 2, "for another machine"}, Case{18, 62, "for another machine"},
                        Case{16, 1, "not linked yet"}, Case{31, 0x7F, "truncated"},
                        Case{35, 0x7F, "truncated"}, Case{44, 0, "nothing to load"}}) {
    std::vector<std::uint8_t> file = self_test_file();
    file[c.offset] = c.value;
    EXPECT_THAT(error_of(file), HasSubstr(c.message)) << "byte " << c.offset;
    EXPECT_THAT(error_of(file), testing::StartsWith("x.elf: "));
  }
}

TEST(ElfImage, TruncatedAnywhereInItsSegments_IsAnError) {
  const std::vector<std::uint8_t> file = self_test_file();
  EXPECT_EQ(error_of(file), "no error");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{3}, std::size_t{51}, std::size_t{60}, std::size_t{0x1010}}) {
    EXPECT_NE(error_of({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}),
              "no error")
        << size;
  }
}

// Whatever a byte says: the file is read, or refused with the file's name. Nothing else happens.
TEST(ElfImage, AnyDamage_IsReadOrRefused) {
  constexpr std::uint32_t kSeed = 18;
  std::mt19937 random(kSeed);
  const std::vector<std::uint8_t> whole = self_test_file();
  const std::size_t sections = whole[32] + 256U * whole[33] + 65536U * whole[34];
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint8_t> file = whole;
    // In the file's header, the program headers, or the section headers at the end.
    const std::size_t place =
        random() % 3 == 0 ? sections + random() % (file.size() - sections) : random() % 180;
    file[place] = static_cast<std::uint8_t>(random());
    if (random() % 4 == 0) file.resize(random() % file.size());
    const std::string error = error_of(file);
    if (error == "no error") continue;
    ++refused;
    EXPECT_THAT(error, testing::StartsWith("x.elf: ")) << "seed " << kSeed << ", damage " << i;
  }
  EXPECT_GT(refused, 500U);
}

TEST(ElfImage, MissingFile_IsAnError) { EXPECT_THROW(ElfImage::read("/dev/null/x.elf"), ElfError); }

// self_test.c has a function main(); a function owns the bytes from its address on, as many as its
// symbol's size says (ELF-32, st_value and st_size).
TEST(ElfImage, Functions_OwnTheirBytes) {
  const ElfImage image = ElfImage::parse("x.elf", self_test_file());
  const auto& functions = image.functions();
  const auto main = std::find_if(functions.begin(), functions.end(),
                                 [](const auto& function) { return function.name == "main"; });
  ASSERT_NE(main, functions.end());
  EXPECT_EQ(image.function_at(main->address)->name, "main");
  EXPECT_EQ(image.function_at(main->address + main->bytes - 1)->name, "main");
  const ElfImage::Function* behind = image.function_at(main->address + main->bytes);
  EXPECT_TRUE(behind == nullptr || behind->name != "main");
  EXPECT_EQ(image.function_at(0xFFFF'FFFF), nullptr);
}

// p_paddr of the first program header is at e_phoff + 12.
TEST(ElfImage, SegmentOutsideRam_DoesNotLoad) {
  std::vector<std::uint8_t> file = self_test_file();
  const std::size_t table = file[28] + 256U * file[29];
  const auto load = [&] {
    Soc soc;
    soc.load(ElfImage::parse("x.elf", file));
  };
  EXPECT_NO_THROW(load());
  file[table + 12 + 2] = 0x40;  // 0x400000, the first byte past RAM
  EXPECT_THROW(load(), ElfError);
}

}  // namespace
}  // namespace headstack::soc
