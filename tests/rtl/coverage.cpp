// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/coverage.hpp"

#include <verilated_cov.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

namespace headstack::rtl_test {
namespace {

/// Counts by point, written when the program ends.
class Counts {
 public:
  explicit Counts(const char* path) : path_(path) {}
  ~Counts() {
    std::ofstream out(path_);
    out << "# SystemC::Coverage-3\n";
    for (const auto& [point, count] : counts_) out << "C '" << point << "' " << count << '\n';
  }
  Counts(const Counts&) = delete;
  Counts& operator=(const Counts&) = delete;

  void add(VerilatedContext& context) {
    // Verilator gives its counts to a file alone.
    const std::string part = path_ + ".part";
    context.coveragep()->write(part.c_str());
    std::ifstream in(part);
    for (std::string line; std::getline(in, line);) {
      const std::size_t end = line.rfind("' ");
      if (line.rfind("C '", 0) != 0 || end == std::string::npos) continue;
      counts_[line.substr(3, end - 3)] += std::stoull(line.substr(end + 2));
    }
    std::remove(part.c_str());
  }

 private:
  std::string path_;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace

void keep_coverage(VerilatedContext& context) {
  static const char* const path = std::getenv("HEADSTACK_COVERAGE");
  if (path == nullptr) return;
  static Counts counts(path);
  counts.add(context);
}

}  // namespace headstack::rtl_test
