// SPDX-License-Identifier: Apache-2.0
// headstack run without the electronics, which starts faster. For `rtl` the process executes the
// program that has them.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "host/run/program.hpp"

namespace {

void become_rtl_program(char** argv) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string other = self + "-rtl";
  ::execv(other.c_str(), argv);
  throw std::runtime_error(
      fmt::format("{}: cannot be run: {}; build headstack-run", other, std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  return headstack::run::run_program(argc, argv, {nullptr, become_rtl_program});
}
