// SPDX-License-Identifier: Apache-2.0
// Allows a debugger to stop a run on `rtl` or `vp`, inspect it, and go back. It connects GDB's
// remote protocol to a watcher of the core.
//
// A stopped run waits in core_cycle(): the simulation has one thread, so the whole world waits. The
// core can stop where an instruction begins (soc::CoreStage). Everything before the instruction is
// done, and the instruction has had no effect: GDB calls that "stopped at" it. The core can also
// stop while it sleeps. Breakpoints are compared when instructions begin, watchpoints when accesses
// are made. Memory is never changed for a breakpoint.
//
// A run goes back by its snapshots, and this process ends. The last earlier snapshot is woken, runs
// up to the present position, and notes the stop points that it passes. Woken again, it runs to the
// last of them, and stops there.
//
// A debugger's changes become part of the run. Going back before a change undoes it. The past may
// be changed only if the user allowed it, since the run has already continued from there.
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
    SnapshotRing* ring = nullptr;               // null: the run cannot go back
    wave::WaveControl* waves = nullptr;         // null: there are no waves
    bool (*interrupted)() = nullptr;            // whether a signal asks the run to end
    std::function<void(Picoseconds)> pause_at;  // sets the time at which pause() is called
  };

  struct Settings {
    std::string address;               // the socket's address (GdbSocket); "": none
    std::string folder;                // the run's folder, for waves on the user's request
    std::string gdb_script;            // path of a file for GDB to load
    std::string program;               // absolute path of the ELF file that the core executes; "":
                                       // none
    Until first_stop;                  // where the run waits for the debugger; default: at the
                                       // beginning
    std::uint64_t snapshot_edges = 0;  // edges between snapshots; 0: only the first
  };

  /// Throws AddressError if the server cannot listen at settings.address.
  DebugServer(const Parts& parts, const Settings& settings);

  /// Ends this process. The last snapshot before an edge, or the first, continues and records waves
  /// into a file. Returns when there is no snapshot, or if the run has been recorded.
  void record_from(std::uint64_t edge, const std::string& file);
  bool recorded() const { return recorded_; }

  /// Reports that the run is over. If a debugger is connected, the run stops once more, and may
  /// still go back.
  void run_over(int exit_status);

  /// Reports that the world has reached the time of Parts::pause_at. A core that sleeps stops
  /// there, since no instruction begins at that time.
  void pause();

  // The server is the last of the core's watchers, so that the others have processed the edge.
  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override {
    edge_ = edge;
    asleep_ = activity.asleep;
    if (--attention_calls_ > 0 && edge < attention_edge_) return;
    attend(activity);
  }
  /// Treats this as a pause, too. Electronics may run ahead of the world as long as nothing comes
  /// from it.
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

  // Functions of Target.
  std::optional<std::string> register_hex(unsigned number) override;
  std::optional<std::string> read_memory(std::uint32_t address, std::size_t bytes) override;
  std::string write_register(unsigned number, std::uint32_t value) override;
  std::string write_memory(std::uint32_t address, const std::string& bytes) override;
  std::string monitor(std::string_view command) override;
  std::string target_description() override;
  std::string memory_map() override;
  std::string program_file() override { return settings_.program; }

  // Functions of MonitorTarget.
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

  // When to check: at an edge, or after a number of calls, whichever is earlier.
  std::uint64_t attention_edge_ = 0;
  std::int64_t attention_calls_ = 0;
  bool looking_ = false;  // checks are made at every edge
  observe::InstructionTracker tracker_;
  std::uint64_t edge_ = 0;
  std::uint64_t begun_ = 0;  // edge at which the last instruction began
  bool asleep_ = false;      // the core slept at the last edge
  Picoseconds pause_time_ = std::numeric_limits<Picoseconds>::max();  // time of the last
                                                                      // Parts::pause_at

  // The state of the debugger's wait.
  bool waited_ = false;       // the run has come to the place where it waits for a debugger
  bool has_gone_on_ = false;  // a debugger has continued the run, or it came from a snapshot
  bool reply_due_ = false;    // the run continues, and the debugger expects a reply when it stops
  bool step_ = false;
  bool halt_ = false;        // stops like step_, but a sleeping core does not wake for it
  int step_signal_ = kTrap;  // signal of a step's stop; SIGINT for the debugger's Ctrl-C
  Until until_;
  bool stood_at_break_ = false;  // the last stop was at a breakpoint
  bool came_by_step_ = false;    // a step met until_.next, and no 'continue' has reported it
  bool until_met_ = false;
  std::uint64_t met_edge_ = 0;              // if until_met_: the first edge at which to stop
  std::optional<std::string> watch_words_;  // words about a watched access: the run stops after it

  // Back in time.
  /// For the next 'continue': the snapshot at which it begins, and its order.
  std::optional<std::pair<std::uint64_t, Order>> way_back_;
  std::optional<Order> order_;  // order that is being carried out
  std::uint64_t woken_at_ = 0;  // position of the snapshot that was woken
  std::optional<std::uint64_t> found_;
  std::string found_words_;
  std::uint64_t furthest_ = 0;
  bool fork_history_ = false;
  bool changed_ = false;                // the run was changed here, and no snapshot contains the
                                        // change
  std::vector<std::uint64_t> changes_;  // edges at which the debugger changed the run, ascending
  bool waves_open_ = false;
  bool recorded_ = false;

  std::uint64_t requests_ = 0;
  std::uint64_t events_ = 0;
  std::map<unsigned, std::uint64_t> events_of_;  // number of events of each kind
};

}  // namespace headstack::debug
