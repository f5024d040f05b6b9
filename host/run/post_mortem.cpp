// SPDX-License-Identifier: Apache-2.0
#include "host/run/post_mortem.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cstring>
#include <filesystem>

#include "host/observe/backtrace.hpp"
#include "host/observe/electronics.hpp"
#include "host/observe/queue_view.hpp"
#include "host/output/run_folder.hpp"
#include "host/output/shell_word.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;
namespace run_file = output::run_file;

std::optional<std::uint32_t> word_at(const soc::CoreAccess& core, std::uint32_t address) {
  if (address % 4 != 0 || address > soc::CoreAccess::kRamBytes - 4) return std::nullopt;
  std::uint32_t word = 0;
  std::memcpy(&word, core.read_ram(address, sizeof word).data(), sizeof word);
  return word;
}

/// The frame at which a backtrace begins. An instruction that overflows the stack has already moved
/// the stack pointer, so the frame is the one after it.
soc::CoreFrame innermost(session::Session& session, const soc::CoreAccess& core) {
  const std::optional<soc::CoreFault> fault = session.core_fault();
  if (!fault) return session.core_frame().value_or(soc::CoreFrame{});
  soc::CoreFrame frame{fault->pc, fault->sp, fault->return_address};
  if (!fault->is_stack) return frame;
  const std::uint32_t word = word_at(core, fault->pc & ~3U).value_or(0) >> 8 * (fault->pc & 2U);
  constexpr std::uint32_t kLong = 3;  // RISC-V unprivileged architecture, 1.5
  frame.pc += (word & kLong) == kLong ? 4 : 2;
  return frame;
}

std::string backtrace_text(session::Session& session, const soc::ElfImage& firmware,
                           const soc::CoreAccess& core) {
  const soc::CoreFrame begin = innermost(session, core);
  const std::vector<std::uint8_t> rules = soc::read_section(firmware.path(), ".debug_frame");
  const observe::Unwinder unwinder(rules);
  const auto frames =
      unwinder.frames(begin.pc, begin.sp, begin.return_address,
                      [&core](std::uint32_t address) { return word_at(core, address); });
  std::string text;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    // The address to which a call returns may be in the next function.
    const soc::ElfImage::Function* function =
        firmware.function_at(i == 0 ? frames[i].pc : frames[i].pc - 1);
    const std::string name = function == nullptr ? "no function" : function->name;
    text += i == 0 ? fmt::format("  #0  {}\n", name)
                   : fmt::format("  #{:<2} {}, returning to {:#x}\n", i, name, frames[i].pc);
  }
  return text;
}

}  // namespace

std::string post_mortem_waves(const RunOptions& options) {
  return (fs::path(options.out) / run_file::kPostMortemWaves).string();
}

std::string debug_command(const RunOptions& options, Picoseconds at) {
  // Words that only concern the failed run are removed, and so are those that exclude snapshots.
  // The platform is removed, too: vp has the same cycles, and gets there sooner.
  std::string line = "./headstack debug --launch";
  line += output::shell_words_without(
      options.words,
      {"--force", "platform.kind", "platform", "platform.gating", "observe.post_mortem",
       "observe.ledger", "observe.accesses", "wave", "observe.waves.file", "observe.waves.windows",
       "observe.waves.on", "observe.waves.after"},
      {"--gdb", "--run-until", "--out", "--platform", "--wave"});
  const std::pair<const char*, bool> of_the_failed[] = {
      {"platform.kind", options.platform != "vp"},  {"platform.gating", !options.gating},
      {"observe.post_mortem", options.post_mortem}, {"observe.ledger", options.event_ledger},
      {"observe.accesses", options.access_log},     {"observe.waves", !options.wave.empty()}};
  for (const auto& [key, is_given] : of_the_failed) {
    if (is_given && options.has_file) line += fmt::format(" {}=", key);
  }
  // The files of the failed run are kept.
  const std::string out = (fs::path(options.out) / "debug").string();
  const Picoseconds stop = std::max<Picoseconds>(0, at - kPostMortemLead);
  return line +
         fmt::format(" --out {} --force --run-until 'time {}ps'", output::shell_word(out), stop);
}

void write_post_mortem(const RunOptions& options, const Failure& failure,
                       session::Session& session) {
  output::OutputFile out(output::claim_run_file(options.out, run_file::kPostMortem));
  fmt::print(out, "{}\nat {:.6f} ms of simulated time; the run ended at {:.6f} ms\n\n",
             failure.text, to_ms(failure.at), to_ms(session.now()));
  out << "To stand shortly before it, in GDB:\n\n  " << debug_command(options, failure.at)
      << "\n\n";
  if (failure.has_waves) {
    fmt::print(out, "Waves of the time before it:\n\n  ./headstack wave view {}\n\n",
               output::shell_word(post_mortem_waves(options)));
  }
  const observe::CoreView* view = session.core();
  if (const soc::CoreAccess* core = session.stopped_core(); view != nullptr && core != nullptr) {
    out << "The firmware's calls at the run's end:\n\n"
        << backtrace_text(session, view->firmware, *core) << "\n";
    const observe::QueueView queue(view->firmware, *core, session.geometry());
    const auto edge = static_cast<std::uint64_t>(session.now() / soc::kClockPeriodPs);
    out << "The tasks in hand at the run's end:\n\n" << queue.in_hand_text(edge) << "\n";
  }
  out << "The firmware's events around it:\n\n" << failure.events;
  out.close();
}

}  // namespace headstack::run
