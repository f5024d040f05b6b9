// SPDX-License-Identifier: Apache-2.0
// Code for this machine that comes with a program for the drive is not run. `--firmware` executes
// the program on the drive's core alone.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include "sim/core/translation_file.hpp"
#include "sim/soc/elf_image.hpp"
#include "tests/scenario/patched_program.hpp"
#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

namespace fs = std::filesystem;

class PlantedCode : public ReplayFixture {
 protected:
  void SetUp() override {
    ReplayFixture::SetUp();
    write_trace(1, 4, 2'056'008, 300);
    ::setenv("HEADSTACK_PLANTED", file("trace-of-the-library").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("HEADSTACK_PLANTED");
    ReplayFixture::TearDown();
  }
  bool has_left_trace() const { return fs::exists(file("trace-of-the-library")); }

  /// Plants code in each place where the translation of a program in `folder` might be looked for.
  static void plant(const fs::path& folder, const std::string& elf) {
    const soc::ElfImage image = soc::ElfImage::read(elf);
    const std::string name = core::translation_key(image.code(), image.stack_limit()) + ".so";
    const fs::path own = fs::path(elf).filename();
    for (const fs::path& place :
         {folder / (own.string() + ".so"), folder / name, folder / "translations" / name,
          folder / "firmware" / name, folder / "firmware" / "translations" / name}) {
      fs::create_directories(place.parent_path());
      fs::copy_file(test::built("tests/scenario/libplanted_library.so"), place,
                    fs::copy_options::overwrite_existing);
    }
  }
};

TEST_F(PlantedCode, LibraryLeavesATrace_WhereItIsLoaded) {
  void* const library =
      ::dlopen(test::built("tests/scenario/libplanted_library.so").c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << ::dlerror();
  EXPECT_TRUE(has_left_trace());
}

// The build's own program under another name, and a foreign program.
TEST_F(PlantedCode, BesideAProgram_IsNeverLoaded) {
  fs::create_directories(file("gift"));
  fs::copy_file(test::drive_elf(), file("gift/own.elf"));
  write_patched_firmware("scheduler_plan", code::kBreak, file("gift/other.elf"));
  for (const char* name : {"own.elf", "other.elf"}) {
    plant(file("gift"), file(std::string("gift/") + name));
  }
  const fs::path before = fs::current_path();
  for (const char* from : {"", "gift"}) {
    fs::current_path(folder() / from);
    for (const char* name : {"own.elf", "other.elf"}) {
      const std::string elf = file(std::string("gift/") + name);
      const int status = run("--drive hp_c3323a --platform vp --firmware '" + elf + "'", "out");
      EXPECT_EQ(status, std::string(name) == "own.elf" ? 0 : 1) << errors();
      EXPECT_FALSE(has_left_trace()) << name << " from '" << from << "'";
    }
  }
  fs::current_path(before);
}

}  // namespace
}  // namespace headstack::scenario
