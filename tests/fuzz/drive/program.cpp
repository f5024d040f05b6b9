// SPDX-License-Identifier: Apache-2.0
// headstack fuzz drive: the command line.
#include "tests/fuzz/drive/program.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "host/cli/run_command.hpp"
#include "host/cli/validators.hpp"
#include "host/output/message.hpp"
#include "host/output/progress.hpp"
#include "tests/fuzz/drive/generate.hpp"
#include "tests/fuzz/drive/hunt.hpp"
#include "tests/fuzz/drive/shrink.hpp"
#include "tests/fuzz/drive/stage.hpp"
#include "tests/fuzz/drive/trial.hpp"

namespace headstack::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kGood = 0;
constexpr int kFindings = 1;
constexpr int kUsage = 2;
constexpr int kInterrupted = 130;
/// Time in which a finding is reduced. One try of an endless storyline takes a minute.
constexpr std::chrono::minutes kShrinkMax{2};

struct Options {
  double minutes = 1;
  std::uint64_t cases = 0;
  std::optional<std::uint64_t> seed;
  std::uint64_t first = 0;
  unsigned jobs = 0;
  unsigned most = 5;
  std::size_t tries = 4000;
  std::string out = "build/fuzz-findings";
  std::string replay;
  std::string platform = platform_name();
  bool show = false;
  Theme theme = Theme::kAnything;
};

/// "1,234,567".
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string totals_text(const Hunted& hunted) {
  const Totals& totals = hunted.totals;
  const double rate =
      hunted.seconds > 0 ? static_cast<double>(totals.events()) / hunted.seconds : 0;
  return fmt::format(
      "{} storylines: {} commands, {} messages and resets, {} bus phases; {} in all, {} a second; "
      "duration limits ended {} commands of {}",
      grouped(totals.storylines), grouped(totals.commands), grouped(totals.messages),
      grouped(totals.phases), grouped(totals.events()), grouped(static_cast<std::uint64_t>(rate)),
      grouped(hunted.timed_out), grouped(hunted.limited));
}

void tell(const Finding& finding) {
  fmt::print("FINDING {}\n  what      {}\n  expected  {}\n  when      {:.6f} ms\n", finding.kind,
             finding.what, finding.expected, to_ms(finding.at));
}

// ----------------------------------------------------------------------------------------- replay

/// Plays all storylines of a folder, in the order of their names, without a transcript.
int replay_folder(const std::string& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".story") files.push_back(entry.path());
  }
  if (files.empty()) {
    throw std::runtime_error(
        fmt::format("{}: there is no .story in it; is the folder right?", folder));
  }
  std::sort(files.begin(), files.end());
  std::size_t found = 0;
  for (const fs::path& file : files) {
    const Played played = try_storyline(read_storyline(file.string()));
    if (!played.finding) continue;
    ++found;
    fmt::print("{}\n", file.string());
    tell(*played.finding);
  }
  fmt::print("{} storylines on {}, {}\n", files.size(), platform_name(),
             found == 0 ? "no findings" : fmt::format("{} with findings", found));
  return found == 0 ? kGood : kFindings;
}

int replay(const Options& options) {
  if (fs::is_directory(options.replay)) return replay_folder(options.replay);
  const Storyline storyline = read_storyline(options.replay);
  const Played played = try_storyline(storyline, true);
  if (!played.finding) {
    fmt::print("no finding on {}\n", platform_name());
    return kGood;
  }
  tell(*played.finding);
  return kFindings;
}

// ------------------------------------------------------------------------------------------- hunt

class Report {
 public:
  Report(const Options& options, std::uint64_t seed) : options_(options), seed_(seed) {}

  /// Takes the finding of a case, if it is of a new kind: reduces, writes and prints it.
  void take(std::uint64_t number) {
    const Storyline whole = random_storyline(seed_, number, options_.theme);
    // Every child would otherwise have to load this again.
    Storyline empty;
    empty.drive = whole.drive;
    (void)make_stage(empty);
    const Played played = try_storyline(whole);
    if (!played.finding) return;  // it depended on earlier storylines, which none should
    const std::string kind = played.finding->kind;
    fmt::print("case {}: {}\n", number, kind);
    if (!kinds_.insert(kind).second || kinds_.size() > options_.most) return;
    if (output::progress_wanted()) {
      output::say("\r\033[Kcase {}: {}; making it smaller\n", number, kind);
    }
    const auto until = std::chrono::steady_clock::now() + kShrinkMax;
    const Storyline small = shrink(
        whole,
        [&](const Storyline& candidate) {
          if (stop_wanted || std::chrono::steady_clock::now() > until) return false;
          const Played again = try_storyline(candidate);
          return again.finding && again.finding->kind == kind;
        },
        options_.tries);
    write(number, kind, small);
  }

  bool empty() const { return kinds_.empty(); }

 private:
  /// Writes a case of `headstack regress`.
  void write(std::uint64_t number, const std::string& kind, const Storyline& storyline) const {
    std::string word;
    for (const char c : kind.substr(0, 24))
      word += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
    const fs::path folder = fs::path(options_.out) / fmt::format("{}-{}-{}", word, seed_, number);
    fs::create_directories(folder);
    std::ofstream(folder / "storyline.txt") << to_text(storyline);
    std::string title = kind;
    std::replace_if(
        title.begin(), title.end(), [](char c) { return c == '"' || c == '\\'; }, '\'');
    std::ofstream(folder / "scenario.toml") << fmt::format(
        "title = \"the adversary: {}\"\nplatform = \"{}\"\nregress.storyline = \"storyline.txt\"\n",
        title, platform_name());
    const Played played = try_storyline(storyline);
    fmt::print("\n{}", to_text(storyline));
    if (played.finding) tell(*played.finding);
    fmt::print(
        "  repeat    ./headstack fuzz drive --replay {}/storyline.txt   (also with --platform vp "
        "or "
        "rtl)\n",
        folder.string());
    std::fflush(stdout);
  }

  const Options& options_;
  std::uint64_t seed_;
  std::set<std::string> kinds_;
};

int run_hunt(const Options& options) {
  HuntOptions hunting;
  hunting.seed = options.seed ? *options.seed : std::random_device{}();
  hunting.first = options.first;
  hunting.cases = options.cases;
  hunting.theme = options.theme;
  hunting.seconds = options.minutes * 60;
  hunting.jobs = options.jobs != 0
                     ? options.jobs
                     : static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  fmt::print("seed {}\n", hunting.seed);
  std::fflush(stdout);
  (void)make_stage(Storyline{});  // makes the parts that all workers share
  const bool terminal = output::progress_wanted();
  const Hunted hunted = hunt(hunting, [&](const Hunted& so_far) {
    if (!terminal) return;
    output::say("\r\033[K{:.0f} s, {}; {} found", so_far.seconds, totals_text(so_far),
                so_far.found.size());
  });
  if (terminal) output::say("\r\033[K");
  Report report(options, hunting.seed);
  for (const std::uint64_t number : hunted.found) {
    if (stop_wanted) break;
    report.take(number);
  }
  fmt::print("{}\n", totals_text(hunted));
  fmt::print("fuzzing the drive: seed {} on {}, {} commands in {} storylines, {:.0f} s, {}\n",
             hunting.seed, platform_name(), grouped(hunted.totals.commands),
             grouped(hunted.totals.storylines), hunted.seconds,
             hunted.found.empty()
                 ? "no findings"
                 : fmt::format("{} storylines with findings", hunted.found.size()));
  if (stop_wanted) return kInterrupted;
  return hunted.found.empty() ? kGood : kFindings;
}

void declare(CLI::App& app, Options* options) {
  app.add_option("--minutes", options->minutes, "duration in minutes (default: 1)")
      ->check(CLI::Range(0.01, 100'000.0));
  app.add_option("--cases", options->cases, "number of storylines, in place of --minutes")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_option("--seed", options->seed, "seed of the storylines (default: a new one each time)");
  static const std::map<std::string, Theme> themes = {{"anything", Theme::kAnything},
                                                      {"limits", Theme::kLimits},
                                                      {"cache", Theme::kCache},
                                                      {"moves", Theme::kMoves},
                                                      {"bus", Theme::kBus}};
  app.add_option("--theme", options->theme,
                 "theme of the storylines: anything, limits (command duration limits), cache, "
                 "moves (block remapping) or bus")
      ->transform(cli::one_of(themes));
  app.add_option("--first", options->first, "number of the first case of the seed");
  app.add_option("--jobs", options->jobs, "number of processes (default: one per processor)")
      ->check(CLI::Range(1, 64));
  app.add_option("--findings", options->most,
                 "largest number of kinds of finding that are minimized");
  app.add_option("--tries", options->tries, "number of storylines tried to minimize one finding");
  app.add_option("--out", options->out,
                 "folder for the findings, each a case of headstack regress");
  app.add_option("--replay", options->replay,
                 "storyline to replay, or a folder of them; prints what happens");
  app.add_option("--platform", options->platform,
                 "platform. native: firmware compiled for the host machine; vp: fast models, "
                 "cycle-equal to rtl; rtl: the electronics, for a replay only")
      ->check(CLI::IsMember({"native", "vp", "rtl"}));
  app.add_flag("--show", options->show,
               "print the storyline of the case given by --seed and --first");
}

/// Runs the same words with the program of another platform, which stands beside this one.
[[noreturn]] void run_other(const Options& options, char** argv) {
  const fs::path here = fs::read_symlink("/proc/self/exe");
  const std::string name =
      options.platform == "native" ? "headstack-fuzz" : "headstack-fuzz-" + options.platform;
  const fs::path other = here.parent_path() / name;
  execv(other.c_str(), argv);
  output::say("headstack-fuzz: error: {} is not there\n  build it: ./headstack build\n",
              other.string());
  std::exit(kUsage);
}

/// Carries out the options.
int play(const Options& options) {
  std::signal(SIGINT, [](int) { stop_wanted = true; });
  try {
    if (options.show) {
      if (!options.seed)
        throw std::runtime_error("--show needs --seed S, and --first N for its case");
      fmt::print("{}", to_text(random_storyline(*options.seed, options.first, options.theme)));
      return kGood;
    }
    if (!options.replay.empty()) return replay(options);
    if (std::string(platform_name()) == "rtl") {
      throw std::runtime_error("--platform rtl is for --replay FILE; look for findings on vp");
    }
    return run_hunt(options);
  } catch (const std::exception& error) {
    output::say("headstack: error: {}\n", error.what());
    return kUsage;
  }
}

}  // namespace

int fuzz_main(int argc, char** argv) {
  Options options;
  CLI::App app{"Plays made-up storylines to a drive, and judges what it does: tests/fuzz/README.md",
               "headstack fuzz drive"};
  declare(app, &options);
  return cli::run_command(app, [&] {
    app.parse(argc, argv);
    if (options.platform != platform_name()) run_other(options, argv);
    return play(options);
  });
}

}  // namespace headstack::fuzz
