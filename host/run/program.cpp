// SPDX-License-Identifier: Apache-2.0
// headstack run: replays a trace on the cycle-accurate drive, and leaves records and a summary.
//
// main_rtl.cpp builds it with the electronics, main_fast.cpp without.
//
// Exit status: 0 done; 1 the input cannot be used, or the run failed; 2 the command line is wrong.
// 130: interrupted, 143: terminated; what was done by then is in the output folder.
#include <fmt/format.h>

#include <filesystem>

#include <CLI/CLI.hpp>

#include "host/cli/reading_options.hpp"
#include "host/cli/run_command.hpp"
#include "host/cli/validators.hpp"
#include "host/debug/debugging.hpp"
#include "host/options/failure_limit.hpp"
#include "host/options/policy_option.hpp"
#include "host/options/wave_window.hpp"
#include "host/reference/reference_scheduler.hpp"
#include "host/run/batch.hpp"
#include "host/run/command_line.hpp"
#include "host/run/power_flags.hpp"
#include "host/run/program.hpp"
#include "host/run/replay_flags.hpp"
#include "host/run/run.hpp"
#include "host/run/scenario_command.hpp"
#include "sim/tlm/cores/native_core.hpp"

namespace headstack::run {
namespace {

using cli::parsed_by;

std::string trigger_list() {
  std::string text = "Triggers of --wave-on:\n";
  for (const options::WaveTrigger& trigger : options::wave_triggers()) {
    text += fmt::format("  {:<18} {}\n", trigger.name, trigger.text);
  }
  return text;
}

void add_wave_options(CLI::App& app, RunOptions& options) {
  auto* file =
      app.add_option("--wave", options.wave,
                     "record electronics and drive into this .fst file, for GTKWave: every "
                     "signal, 8 s for each million clock cycles; see --wave-window")
          ->check(parsed_by([](const std::string& path) {
            if (path.size() > 4 && path.substr(path.size() - 4) == ".fst") return;
            throw options::WindowError(fmt::format("'{}' must end in .fst", path));
          }));
  app.add_option("--wave-window", options.wave_windows,
                 "record only then: time:1ms..2.5ms, cmd:17..20 (commands of the trace) or "
                 "event:NAME[:N] (from the Nth of firmware/events.h on); may be given again")
      ->check(parsed_by(options::parse_window))
      ->needs(file);
  app.add_option("--wave-on", options.wave_triggers,
                 "record only from each such event on, a file for each: see the list below")
      ->check(parsed_by(options::parse_trigger))
      ->needs(file);
  app.add_option("--wave-after", options.wave_after,
                 "how long a window of an event lasts: a number and ps, ns, us, ms or s")
      ->capture_default_str()
      ->check(parsed_by(options::parse_time))
      ->needs(file);
}

void add_policy_options(CLI::App& app, RunOptions& options) {
  app.add_option("--policy", options.policies,
                 "scheduling policy of the drive's queue: NAME[:KEY=VALUE|FLAG,...], of the list "
                 "below; may be given again, with --policy-every")
      ->capture_default_str()
      ->allow_extra_args(false)
      ->check(parsed_by(options::parse_policy));
  app.add_option("--reference", options.reference,
                 "a reference scheduler, which no real drive can have, chooses in place of "
                 "--policy (native): opt-t, the cheaper of two sweeps; opt-d, most deadlines met; "
                 "opt-g, the least seeks that meet all feasible deadlines; opt-g-literal, the "
                 "same, but infeasible deadlines count, too")
      ->check(CLI::IsMember(reference_scheduler::names()));
  app.footer("Policies, and their words:\n" + options::policy_list() + "\n" +
             options::failure_list() + "\n" + trigger_list());
  app.add_option("--predictor-margin", options.predictor_margin_us,
                 "microseconds: a sector counts as reachable if it passes at least this much later "
                 "than the seek ends (default: the drive's own value; 0 with --ideal-electronics)")
      ->transform(cli::whole_number(0, UINT16_MAX));
}

void add_platform_options(CLI::App& app, RunOptions& options) {
  app.add_option(
         "--platform", options.platform,
         "rtl: the electronics, cycle by cycle; vp: the same program on fast models, in the same "
         "cycles; native: the firmware compiled for this machine on the fast models, for debuggers "
         "and ideal electronics; its times are rough")
      ->capture_default_str()
      ->check(CLI::IsMember({"rtl", "vp", "native"}));
  app.add_flag("--post-mortem", options.post_mortem,
               "keep snapshots; if the drive fails, go back and record waves of the time before "
               "the failure into OUT/post-mortem.fst (rtl)");
  app.add_option(
         "--watchdog", options.watchdog_s,
         "end the run if no command completes for this many simulated seconds, which is looked at "
         "every 2 ms; 0: never")
      ->capture_default_str()
      ->transform(cli::finite_number(0, 1e6));
  app.add_option(
         "--fail-on", options.fail_on,
         "exit status 1 if a run has more of WHAT than N, or than this share of its "
         "commands; without a number, if it has any; may be given again: see the list below")
      ->allow_extra_args(false)
      ->type_name("WHAT[=N|=SHARE%]")
      ->check(parsed_by(options::parse_failure_limit));
  app.add_flag("--verify-data", options.verify_data, "check every byte read");
  app.add_flag("!--no-gating", options.gating, "run every clock all the time");
}

void add_log_options(CLI::App& app, RunOptions& options) {
  app.add_option("--timeline", options.timeline,
                 "write what happened as tracks for ui.perfetto.dev into this file: commands, "
                 "mechanics, scheduler; firmware and bus (not on native)");
  app.add_flag("--event-log", options.event_log,
               "write every event of the firmware with its clock edge into OUT/events.txt");
  app.add_flag("--event-ledger", options.event_ledger,
               "the same with the firmware's cycles by function between each two events, and where "
               "in the program each was reported, into OUT/ledger.txt");
  app.add_flag("--access-log", options.access_log,
               "write every access of the firmware to a register or the sector buffer, with its "
               "clock edge, program counter and value, into OUT/accesses.txt");
  app.add_flag("--profile", options.profile,
               "count the firmware's cycles by function, into OUT/profile.txt");
}

void add_debugger_options(CLI::App& app, RunOptions& options) {
  app.add_option("--firmware", options.firmware, "another drive.elf");
  app.add_option("--gdb", options.gdb,
                 "wait at unix:PATH, :PORT or HOST:PORT for a debugger, before the first "
                 "instruction; unix: in the folder of --out. See debug");
  app.add_option("--run-until", options.run_until,
                 "wait for the debugger at another point: 'cmd N' (after the issue of a request), "
                 "'time 12.5ms', 'event NAME'")
      ->check(parsed_by(debug::parse_until));
  app.add_option("--snapshot-every", options.snapshot_every_ms,
                 "milliseconds of simulated time between snapshots, for reverse execution; 0: only "
                 "one at the beginning (10 with --gdb)")
      ->transform(cli::finite_number(0, 1e6));
  app.add_option(
         "--snapshots", options.snapshots,
         "the largest number of snapshots to keep: the first, and more recent ones closer together")
      ->capture_default_str()
      ->transform(cli::whole_number(2, 1000));
}

void add_native_options(CLI::App& app, RunOptions& options) {
  app.add_flag("--ideal-electronics", options.ideal_electronics,
               "instructions and bus take no time (native)");
  app.add_option("--access-price", options.access_price,
                 fmt::format("clock cycles that the firmware takes for each register access, with "
                             "all that lies between two (native; {} if not given)",
                             tlm::NativeCore::kAccessPrice))
      ->excludes("--ideal-electronics")
      ->transform(cli::whole_number(0, 1'000'000));
}

/// Checks for options that exclude each other, or that only one of the platforms has.
void check_platform(const CLI::App& app, RunOptions& options) {
  const bool asks_for_rtl = !options.wave.empty() || options.post_mortem || !options.gating;
  if (app.count("--platform") == 0 && asks_for_rtl) options.platform = "rtl";
  const bool native = options.platform == "native";
  for (const char* name : {"--no-gating", "--wave", "--post-mortem"}) {
    if (options.platform != "rtl" && app.count(name) > 0) {
      throw CLI::ValidationError(name, "works with --platform rtl only");
    }
  }
  for (const char* name :
       {"--event-ledger", "--access-log", "--profile", "--firmware", "--gdb", "--snapshot-every"}) {
    if (native && app.count(name) > 0) {
      throw CLI::ValidationError(name, "works with --platform rtl or vp only");
    }
  }
  if (app.count("--snapshots") > 0 && !debug::wants_snapshots(options)) {
    throw CLI::ValidationError("--snapshots", "goes with --gdb, --snapshot-every or --post-mortem");
  }
  if (options.trace == "-" && debug::wants_snapshots(options)) {
    throw CLI::ValidationError("--trace",
                               "standard input cannot be rewound to a snapshot: name a file");
  }
  if (!options.run_until.empty() && options.gdb.empty()) {
    throw CLI::ValidationError("--run-until", "goes with --gdb");
  }
  if (!options.wave.empty() && debug::wants_snapshots(options)) {
    throw CLI::ValidationError(
        "--wave", "a wave file cannot be rewound to a snapshot: use 'monitor wave on'");
  }
  for (const char* name : {"--event-ledger", "--access-log"}) {
    if (app.count(name) > 0 && debug::wants_snapshots(options)) {
      throw CLI::ValidationError(name, "does not go with a debugger or snapshots");
    }
  }
  for (const std::string& policy : options.policies) {
    if (native) continue;
    try {
      options::check_on_core(policy);
    } catch (const options::PolicyError& error) {
      throw CLI::ValidationError("--policy", error.what());
    }
  }
  if (app.count("--reference") > 0 && app.count("--policy") > 0) {
    throw CLI::ValidationError("--reference", "chooses in place of a policy: leave --policy out");
  }
  for (const char* name : {"--ideal-electronics", "--access-price", "--reference"}) {
    if (!native && app.count(name) > 0) {
      throw CLI::ValidationError(name, "works with --platform native only");
    }
  }
}

/// build/PRESET/host/headstack-run -> build/PRESET/firmware/drive.elf; an installed tree has the
/// same folders.
std::string built_firmware() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "firmware/drive.elf").string();
}

/// Thrown by the option --batch.
struct Batch {
  std::string file;
};

/// A run of a batch must be on a platform that a process can have several times.
void require_one_of_many(const RunOptions& options) {
  if (options.platform == "rtl" || debug::wants_snapshots(options) || !options.gdb.empty() ||
      options.is_torture) {
    throw BatchError(
        "--batch: rtl, torture, snapshots and debuggers need a process of their own; start this "
        "run without --batch");
  }
}

/// The options of a batch's runs are words of its lines. Others would be lost.
void require_nothing_else(const std::vector<std::string>& words) {
  const std::string option = "--batch";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option) {
      ++i;  // its file
    } else if (words[i].rfind(option + '=', 0) != 0) {
      throw CLI::ValidationError(
          option, fmt::format("goes by itself, but here is '{}', too; give the options of runs in "
                              "the lines of the file",
                              words[i]));
    }
  }
}

/// `argv` is null in a batch.
int run_words(std::vector<std::string> words, char** argv, const RtlSupport& rtl) {
  CLI::App app{"replays a trace on the cycle-accurate drive", "headstack run"};
  RunOptions options;
  add_run_options(app, options);
  declare_scenario_words(app);
  return cli::run_command(app, [&] {
    try {
      // CLI11 takes the words from the back.
      app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const Batch& batch) {
      if (argv == nullptr) throw BatchError("--batch: a batch has none of its own");
      require_nothing_else(words);
      return run_batch(batch.file, [&rtl](const std::vector<std::string>& line) {
        return run_words(line, nullptr, rtl);
      });
    }
    options.words = words;
    check_run_options(app, options);
    if (argv == nullptr) require_one_of_many(options);
    if (options.platform == "rtl" && rtl.make == nullptr) rtl.become(argv);
    if (options.firmware.empty() && options.platform != "native") {
      options.firmware = built_firmware();
    }
    return run_trace(options, rtl.make);
  });
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("--drive", options.drive, "a name from `drive list`, or a .toml file")->required();
  app.add_option("--trace", options.trace, "the I/O trace")->required();
  cli::add_reading_options(app, options.reading, "--trace-format");
  app.add_option("--out", options.out, "new folder for records and summary")->required();
  app.add_flag("--force", options.force, "replace the run that is in the folder of --out");
  add_policy_options(app, options);
  add_replay_options(app, options);
  add_platform_options(app, options);
  add_wave_options(app, options);
  add_power_options(app, options);
  add_log_options(app, options);
  add_debugger_options(app, options);
  add_native_options(app, options);
  app.add_option_function<std::string>(
         "--batch", [](const std::string& file) { throw Batch{file}; },
         "carry out the runs of this file instead, one after another: a line each, with the words "
         "of its command line as a JSON array")
      ->trigger_on_parse();
  // As transformations these come before all others. As checks they would come last.
  for (CLI::Option* option : app.get_options()) option->transform(cli::not_empty());
}

void check_run_options(const CLI::App& app, RunOptions& options) {
  check_platform(app, options);
  check_replay_options(app, options);
  check_power_options(app, options);
}

int run_program(int argc, char** argv, const RtlSupport& rtl) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (is_scenario_line(words)) return run_scenario(words, argv, rtl, built_firmware());
  return run_words(words, argv, rtl);
}

}  // namespace headstack::run
