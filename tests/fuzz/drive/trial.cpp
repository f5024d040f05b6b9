// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/trial.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "tests/fuzz/drive/drives.hpp"
#include "tests/fuzz/drive/stage.hpp"

namespace headstack::fuzz {
namespace {

std::string read_all(int file) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(file, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

/// The numbers, then kind, what and expected, one per line.
std::string to_record(const Played& played) {
  const Totals& totals = played.totals;
  std::string text = fmt::format("{} {} {} {}\n", totals.storylines, totals.commands,
                                 totals.messages, totals.phases);
  if (!played.finding) return text;
  const Finding& finding = *played.finding;
  return text +
         fmt::format("{}\n{}\n{}\n{}\n", finding.at, finding.kind, finding.what, finding.expected);
}

Played from_record(const std::string& text) {
  Played played;
  std::istringstream in(text);
  in >> played.totals.storylines >> played.totals.commands >> played.totals.messages >>
      played.totals.phases;
  Finding finding;
  if (!(in >> finding.at)) return played;
  in.ignore();
  std::getline(in, finding.kind);
  std::getline(in, finding.what);
  std::getline(in, finding.expected);
  played.finding = finding;
  return played;
}

/// The line of a report that names the fault, without parts that differ from run to run.
std::string telling_line(const std::string& errors) {
  static const std::regex kTelling(
      "bug: |ERROR: AddressSanitizer|runtime error|terminate called|what\\(\\)");
  static const std::regex kChanging("0x[0-9a-f]+|==[0-9]+==|pc [0-9a-fx]+.*$| on address.*$");
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, kTelling)) return std::regex_replace(line, kChanging, "");
  }
  return {};
}

}  // namespace

void limit_processor_time(unsigned seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

Finding finding_of_death(int wait_status, const std::string& errors) {
  Finding finding;
  finding.expected = "the simulator plays every storyline to its end";
  if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGPROF) {
    finding.kind = "endless";
    finding.what =
        fmt::format("the simulator was at it for {} s of processor time", kTrialSecondsMax);
    return finding;
  }
  const std::string line = telling_line(errors);
  finding.kind = "crash";
  finding.what = !line.empty() ? line
                 : WIFSIGNALED(wait_status)
                     ? fmt::format("the simulator ended by signal {}", WTERMSIG(wait_status))
                     : fmt::format("the simulator ended with status {}", WEXITSTATUS(wait_status));
  if (!line.empty()) finding.kind += ": " + line;
  return finding;
}

Played try_storyline(const Storyline& storyline, bool tell) {
  int answer[2];
  std::FILE* errors = std::tmpfile();
  if (errors == nullptr || pipe(answer) != 0) {
    std::fprintf(stderr, "headstack-fuzz: no pipe, or no temporary file: is /tmp full?\n");
    std::exit(2);
  }
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(fileno(errors), STDERR_FILENO);
    close(answer[0]);
    limit_processor_time(kTrialSecondsMax);
    Transcript transcript;
    if (tell) {
      transcript = [](const std::string& line) {
        std::printf("%s\n", line.c_str());
        std::fflush(stdout);
      };
    }
    const std::string record = to_record(play(storyline, transcript));
    const bool told =
        write(answer[1], record.data(), record.size()) == static_cast<ssize_t>(record.size());
    _exit(told ? 0 : 2);
  }
  close(answer[1]);
  const std::string record = read_all(answer[0]);
  close(answer[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Played played = from_record(record);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::rewind(errors);
    played.finding = finding_of_death(status, read_all(fileno(errors)));
  }
  std::fclose(errors);
  return played;
}

}  // namespace headstack::fuzz
