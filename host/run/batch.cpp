// SPDX-License-Identifier: Apache-2.0
#include "host/run/batch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "host/output/message.hpp"

namespace headstack::run {

std::vector<std::vector<std::string>> read_batch(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    throw BatchError(fmt::format("--batch {}: is a folder; name a file with a run a line", file));
  }
  std::ifstream in(file);
  if (!in) {
    throw BatchError(fmt::format("--batch {}: cannot be read; check that the file exists", file));
  }
  std::vector<std::vector<std::string>> runs;
  for (std::string line; std::getline(in, line);) {
    try {
      runs.push_back(nlohmann::json::parse(line).get<std::vector<std::string>>());
    } catch (const nlohmann::json::exception&) {
      throw BatchError(fmt::format(
          "--batch {}: line {}: not a JSON array of texts; give the words of a run, such as "
          R"(["drive=eagle", "trace=a.trace", "--out", "run1"])",
          file, runs.size() + 1));
    }
  }
  if (runs.empty()) {
    throw BatchError(fmt::format("--batch {}: is empty; write a run a line into it", file));
  }
  return runs;
}

int run_batch(const std::string& file,
              const std::function<int(const std::vector<std::string>& words)>& run) {
  std::size_t line = 0;
  for (const std::vector<std::string>& words : read_batch(file)) {
    ++line;
    const int status = run(words);
    if (status == 0) continue;
    output::say("headstack: --batch {}: line {} failed; the lines after it were not run\n", file,
                line);
    return status;
  }
  return 0;
}

}  // namespace headstack::run
