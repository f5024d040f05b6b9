// SPDX-License-Identifier: Apache-2.0
// headstack run: replays a trace on the cycle-accurate drive, and leaves records and a summary.
//
// main_rtl.cpp builds it with the electronics, main_fast.cpp without.
//
// Exit status: 0 done; 1 the input cannot be used, or the run failed; 2 the command line is wrong.
// 130: interrupted, 143: terminated; what was done up to then is in the output folder.
#include "host/run/program.hpp"

#include <filesystem>

#include "host/run/scenario_command.hpp"

namespace headstack::run {
namespace {

/// The firmware beside the program: build/PRESET/host/headstack-run has
/// build/PRESET/firmware/drive.elf. An installed tree has the same folders.
std::string built_firmware() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "firmware/drive.elf").string();
}

}  // namespace

int run_program(int argc, char** argv, const RtlSupport& rtl) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return run_scenario(words, argv, rtl, built_firmware());
}

}  // namespace headstack::run
