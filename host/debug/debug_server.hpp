// SPDX-License-Identifier: Apache-2.0
// Lets a debugger stop a run on `rtl` or `vp`, inspect it, and go back. It joins GDB's remote
// protocol to a watcher of the core.
//
// A stopped run waits in core_cycle(): the simulation has one thread, so the whole world waits. The
// core can stop where an instruction begins (soc::CoreStage). Everything before the instruction is
// done, and it has had no effect: GDB calls that "stopped at" it. The core can also stop while it
// sleeps. Breakpoints are compared when instructions begin, watchpoints when accesses are made.
// Memory is never changed for a breakpoint.
//
// A run goes back by its snapshots, and this process ends. The last snapshot before is woken, runs
// up to the present position, and notes the stop points that it passes. Woken again, it runs to the
// last of them, and stops there.
//
// A debugger's changes are part of the run from then on. Going back before a change undoes it. The
// past may be changed only if the user allowed it, since the run has already continued from there.
//
// A position in the run is the number of a clock edge: at most one instruction begins at an edge.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/debug/gdb_session.hpp"
#include "host/debug/gdb_socket.hpp"
#include "host/debug/monitor.hpp"
#include "host/debug/order.hpp"
#include "host/debug/snapshot_ring.hpp"
#include "host/observe/drive_probe.hpp"
#include "host/observe/instruction_tracker.hpp"
#include "host/observe/queue_view.hpp"
#include "host/observe/run_observer.hpp"
#include "host/wave/wave_control.hpp"

namespace headstack::debug {

/// SIGTRAP in GDB's numbering: the usual reason for a stop.
constexpr int kTrap = 5;

class DebugServer : public soc::CoreWatcher,
                    public observe::RunObserver,
                    private Target,
                    private MonitorTarget {
 public:
  /// The parts that the server inspects; all must outlive it.
  struct Parts {
    soc::CoreAccess& core;
    const observe::DriveProbe& probe;
    const observe::QueueView& queue;
    SnapshotRing* ring = nullptr;               // null: cannot go back
    wave::WaveControl* waves = nullptr;         // null: no waves
    bool (*interrupted)() = nullptr;            // a signal asks the run to end
    std::function<void(Picoseconds)> pause_at;  // pause() is to be called at this time
  };

  struct Settings {
    std::string address;               // address of the socket (GdbSocket); "": none
    std::string folder;                // the run's folder, for waves on the user's request
    std::string gdb_script;            // a file for GDB to load
    std::string program;               // the ELF file that the core executes, by an absolute path;
                                       // "": none
    Until first_stop;                  // where it waits for the debugger; by default at the
                                       // beginning
    std::uint64_t snapshot_edges = 0;  // from one snapshot to the next; 0: only the first
  };

  /// Throws AddressError.
  DebugServer(const Parts& parts, const Settings& settings);

  /// Ends this process. The last snapshot before an edge, or the first, continues and records waves
  /// into a file. Returns when there is no snapshot, or the run is recorded already.
  void record_from(std::uint64_t edge, const std::string& file);
  bool recorded() const { return recorded_; }

  /// The run is over. If a debugger is connected, the run stops once more, and may still go back.
  void run_over(int exit_status);

  /// The world has come to the time of Parts::pause_at. A core that sleeps stops there: no
  /// instruction begins at that time.
  void pause();

  // It is the last of the core's watchers, so that the others have processed the edge before.
  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override {
    edge_ = edge;
    asleep_ = activity.asleep;
    if (--attention_calls_ > 0 && edge < attention_edge_) return;
    attend(activity);
  }
  /// Electronics may run ahead of the world where nothing comes from it: that is a pause, too.
  void time_passes(Picoseconds until) override {
    if (until > pause_time_) pause();
  }
  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                      const traces::TraceRequest& request) override;

 private:
  // Following the core.
  void attend(const soc::CoreActivity& activity);
  void look();
  void begin(std::uint32_t pc);
  void note_access(const soc::CoreStage& stage);
  std::optional<std::string> reason_to_stop(std::uint32_t pc);
  void stop_asleep();
  bool until_reached() const;
  void forget_until();
  void wait_for(const Until& until);
  void plan_attention();
  bool snapshot_due() const;
  bool take_snapshot();

  // The debugger.
  void poll(const soc::CoreActivity& activity);
  void stop(int signal, const std::string& words);
  void announce();
  void serve();
  bool handle(const PacketReader::Item& item);
  bool resume(Resume how);
  bool go_on(bool one_step);
  void send(const std::string& payload);
  void forget_debugger();
  void leave();

  // Back in time.
  void reverse(Order::Task task);
  void restart();
  void begin_again(const std::string& words);
  void go_on_back();
  void resume_order();
  bool is_past(const Until& until) const;
  [[noreturn]] void go_back(std::uint64_t snapshot, Order order);
  Order order(Order::Task task, std::uint64_t edge) const;
  void woken(SnapshotRing::Wake wake);
  bool searching() const;
  void search(std::uint32_t pc);
  [[noreturn]] void end_search();
  void start_recording();
  std::string change();
  void keep_change();

  // Target
  std::optional<std::string> register_hex(unsigned number) override;
  std::optional<std::string> read_memory(std::uint32_t address, std::size_t bytes) override;
  std::string write_register(unsigned number, std::uint32_t value) override;
  std::string write_memory(std::uint32_t address, const std::string& bytes) override;
  std::string monitor(std::string_view command) override;
  std::string target_description() override;
  std::string memory_map() override;
  std::string program_file() override { return settings_.program; }

  // MonitorTarget
  std::string when() const override;
  std::string queue() const override;
  std::string drive() const override;
  std::string block_registers(const std::string& name) override;
  std::string set_until(const Until& until) override;
  std::string go_to(const Until& until, const std::string& words) override;
  std::string go_to_start() override;
  std::string open_waves(const std::string& path) override;
  std::string close_waves() override;
  std::string fork_history() override;

  Parts parts_;
  std::optional<GdbSocket> socket_;
  GdbSession session_;
  Settings settings_;

  // When to check: at every edge, or at the earlier of the two.
  std::uint64_t attention_edge_ = 0;
  std::int64_t attention_calls_ = 0;
  bool looking_ = false;  // at every edge
  observe::InstructionTracker tracker_;
  std::uint64_t edge_ = 0;
  std::uint64_t begun_ = 0;  // the edge at which the last instruction began
  bool asleep_ = false;      // at the last edge
  Picoseconds pause_time_ = std::numeric_limits<Picoseconds>::max();  // that was asked for last

  // The state of the debugger's wait.
  bool waited_ = false;       // the run has waited for a debugger before its first instruction
  bool has_gone_on_ = false;  // a debugger has let it continue, or it came from a snapshot
  bool reply_due_ = false;    // the run continues, and the debugger expects a reply when it stops
  bool step_ = false;
  bool halt_ = false;        // step_, and a core that sleeps need not wake for it
  int step_signal_ = kTrap;  // the signal of a step's stop; SIGINT for the debugger's Ctrl-C
  Until until_;
  bool stood_at_break_ = false;  // when the run stood last
  bool came_by_step_ = false;    // until_.next did, and no 'continue' has told of it
  bool until_met_ = false;
  std::uint64_t met_edge_ = 0;              // with it: the first edge at which to stop
  std::optional<std::string> watch_words_;  // a watched access was made: stop after it

  // Back in time.
  /// That the next 'continue' takes: the snapshot at which it begins, and the order.
  std::optional<std::pair<std::uint64_t, Order>> way_back_;
  std::optional<Order> order_;  // under way
  std::uint64_t woken_at_ = 0;  // for a search
  std::optional<std::uint64_t> found_;
  std::string found_words_;
  std::uint64_t furthest_ = 0;
  bool fork_history_ = false;
  bool changed_ = false;                // the run was changed here, and no snapshot has the change
                                        // yet
  std::vector<std::uint64_t> changes_;  // edges at which the debugger changed the run, ascending
  bool waves_open_ = false;
  bool recorded_ = false;

  std::uint64_t requests_ = 0;
  std::uint64_t events_ = 0;
  std::map<unsigned, std::uint64_t> events_of_;  // by number
};

}  // namespace headstack::debug
