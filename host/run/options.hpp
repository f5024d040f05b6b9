// What `headstack run` is asked to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/options/host_habits.hpp"
#include "host/traces/address_map.hpp"
#include "host/traces/trace.hpp"

namespace headstack::run {

struct RunOptions {
  std::vector<std::string> words;  // the command line
  std::string drive;               // name or file
  std::string trace;
  replay::ReadOptions reading;   // how the trace is read
  std::string platform = "rtl";  // rtl, vp, native
  std::string policy = "fcfs";
  std::optional<std::uint32_t> predictor_margin_us;  // default: the drive's, or 0 if ideal
  std::uint32_t queue_depth = 32;         // commands in the drive or on their way, at most
  std::optional<replay::Loop> loop;       // default: the trace's own
  double speedup = 1;                     // arrival times are divided by it
  std::optional<Picoseconds> think_time;  // of every request; default: the trace's
  double think_scale = 1;                 // think times are multiplied by it
  replay::AddressMapping map_addresses = replay::AddressMapping::kNone;
  std::uint64_t trace_end = 0;   // for kScale: the block behind the trace's last; 0: look
  std::uint32_t initiators = 1;  // hosts on the bus
  std::uint64_t warm_up = 0;     // so many requests make no records,
  Picoseconds warm_up_time = 0;  // nor those issued within it
  std::vector<std::string> caches = {"off"};  // cache_option.hpp; habits.cache_change: one by one
  HostHabits habits;                          // beside what the trace asks for
  bool published_controller = false;          // controller_option.hpp
  std::uint64_t seed = 1;                     // of the data written
  std::uint64_t limit = 0;                    // requests; 0: all
  bool post_mortem = false;                   // rtl: waves of the time before a failure
  double watchdog_s = 30;  // simulated; without a command coming back; 0: for ever
  bool verify_data = false;
  bool gating = true;                         // rtl
  bool ideal_electronics = false;             // native: instructions and bus take no time
  std::optional<std::uint32_t> access_price;  // native: cycles; default: NativeCore::kAccessPrice
  std::string bus = "fast-wide";              // bus_option.hpp
  std::string out;                            // folder: output/run_folder.hpp
  bool force = false;                         // replace the run that is there
  std::string wave;                           // FST of electronics and drive; "": none
  std::vector<std::string> wave_windows;      // when: host/options/wave_window.hpp
  std::vector<std::string> wave_triggers;     // likewise
  std::string wave_after = "10ms";            // how long behind an event
  std::string timeline;                       // Perfetto trace; "": none
  bool event_log = false;                     // every event of the firmware
  bool access_log = false;                    // of registers and sector buffer
  bool event_ledger = false;                  // with what the core did between them
  bool profile = false;                       // firmware's cycles by function
  std::string firmware;                       // ELF file
  std::string gdb;                            // rtl, vp: debug/debugging.hpp; "": no debugger
  std::string run_until;                    // where a debugger finds the run; "": at its beginning
  std::optional<double> snapshot_every_ms;  // rtl, vp, simulated; 0: of the beginning alone
  std::uint32_t snapshots = 16;             // that are kept, at most
};

}  // namespace headstack::run
