// Lets a debugger stop a run on `rtl` or `vp`, look, and go back: GDB's remote protocol on one
// side, the core's watcher on the other.
//
// To stand is to stay in core_cycle(): the simulation has one thread, so that the whole world
// stands. The core can stand where an instruction begins (soc::CoreStage): everything before it is
// done, it has done nothing; that is what GDB calls stopped at it. It can also stand while it
// sleeps. What was stopped for is compared there: instructions where they begin, accesses where
// they are made. Memory is never changed for a breakpoint.
//
// Back goes a run by its snapshots: the last one before is woken, runs up to here and notes what it
// passes; woken once more, it runs to the last of that, and stops there. This process ends.
//
// What a debugger changes is part of the run from there on. To go back before a change takes it
// back. The past, which the run has gone on from, may be changed only when that was allowed.
//
// A position in the run is the number of a clock edge: at one edge one instruction begins, at most.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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

/// SIGTRAP, as GDB numbers it: what a run usually stops with.
constexpr int kTrap = 5;

class DebugServer : public soc::CoreWatcher,
                    public observe::RunObserver,
                    private Target,
                    private MonitorTarget {
 public:
  /// What there is to look at; all must outlive the server.
  struct Parts {
    soc::CoreAccess& core;
    const observe::DriveProbe& probe;
    const observe::QueueView& queue;
    SnapshotRing* ring = nullptr;        // null: no way back
    wave::WaveControl* waves = nullptr;  // null: no waves
    bool (*interrupted)() = nullptr;     // a signal asks the run to end
  };

  struct Settings {
    std::string address;               // where it listens (GdbSocket); "": nowhere
    std::string folder;                // the run's, in which waves may be written by hand
    std::string gdb_script, program;   // what GDB is to load; "": not said
    Until first_stop;                  // where it waits for the debugger; else at the beginning
    std::uint64_t snapshot_edges = 0;  // from one snapshot to the next; 0: the first alone
  };

  /// Throws AddressError.
  DebugServer(const Parts& parts, const Settings& settings);

  /// This process ends, and the last snapshot before an edge, or the first, goes on and records
  /// waves into a file. Returns when there is no snapshot, or the run is recorded already.
  void record_from(std::uint64_t edge, const std::string& file);
  bool recorded() const { return recorded_; }

  /// The run is over. With a debugger there, it stands once more, and may still go back.
  void run_over(int exit_status);

  // The last of the core's watchers: what the others note of an edge is there then.
  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override {
    edge_ = edge;
    if (--attention_calls_ > 0 && edge < attention_edge_) return;
    attend(activity);
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
  bool until_reached() const;
  void forget_until();
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
  void send(const std::string& payload);
  void leave();

  // Back in time.
  void reverse(Order::Task task);
  void restart();
  [[noreturn]] void go_back(std::uint64_t snapshot, Order order);
  Order order(Order::Task task, std::uint64_t edge) const;
  void woken(SnapshotRing::Wake wake);
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

  // MonitorTarget
  std::string when() const override;
  std::string queue() const override;
  std::string drive() const override;
  void set_until(const Until& until) override;
  std::string open_waves(const std::string& path) override;
  std::string close_waves() override;
  std::string fork_history() override;

  Parts parts_;
  std::optional<GdbSocket> socket_;
  GdbSession session_;
  Settings settings_;

  // When to look: at every edge, or at the earlier of the two.
  std::uint64_t attention_edge_ = 0;
  std::int64_t attention_calls_ = 0;
  bool looking_ = false;  // at every edge
  observe::InstructionTracker tracker_;
  std::uint64_t edge_ = 0;
  std::uint64_t begun_ = 0;  // the edge at which the last instruction began

  // What the debugger waits for.
  bool waited_ = false;     // for a debugger, before the first instruction
  bool reply_due_ = false;  // it was told to go on, and hears when it stops
  bool step_ = false;
  int step_signal_ = kTrap;  // what a step is stopped with; SIGINT for the debugger's Ctrl-C
  Until until_;
  bool until_met_ = false;
  std::optional<std::string> watch_words_;  // an access was watched: stop behind it

  // Back in time.
  std::optional<Order> order_;  // under way
  std::uint64_t woken_at_ = 0;  // for a search
  std::optional<std::uint64_t> found_;
  std::string found_words_;
  std::uint64_t furthest_ = 0;
  bool fork_history_ = false;
  bool changed_ = false;                // here, and there is no snapshot of it yet
  std::vector<std::uint64_t> changes_;  // edges at which the debugger changed the run, ascending
  bool waves_open_ = false;
  bool recorded_ = false;

  std::uint64_t requests_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace headstack::debug
