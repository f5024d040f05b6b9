// SPDX-License-Identifier: Apache-2.0
// A drive with its world and its hosts, as a C++ library: open a session, send commands, let time
// pass, inspect the drive.
//
//     session::Options options;
//     options.firmware = "build/release/firmware/drive.elf";
//     session::Session session(drive::load("sim/drives/eagle.toml").description, options);
//     session.make_ready();
//     session.write_blocks(1000, data);
//     data = session.read_blocks(1000, 8);
//
// Time is simulated, in picoseconds from power-on at 0, and passes only in calls whose comments say
// so. A call that waits takes a limit, and throws TimeOut past it. The same calls in the same order
// give the same bits, on `rtl` and on `vp`, inspected or not. For that, calls from outside act
// while the drive's core sleeps, when all platforms are at the same time.
//
// Sessions share nothing: on `vp` and `native` a process may have many, each used by one thread.
// `rtl` needs SystemC, which elaborates once per process and calls sc_main(). A process has one
// such session, opened below sc_main(). Its program links headstack_session_rtl, and passes that
// library's maker to the constructor.
//
// Bad input is an exception with a sentence that names the remedy: SessionError; drive::Fault for
// the description; soc::ElfError for the firmware's file. A bug of the caller, such as a ticket
// that was never issued, is an assertion that ends the process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/observe/queue_view.hpp"
#include "host/observe/run_observer.hpp"
#include "host/session/session_options.hpp"
#include "sim/bus/observer.hpp"
#include "sim/description/description.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/initiator/command.hpp"
#include "sim/initiator/host_adapter.hpp"
#include "sim/soc/core_access.hpp"
#include "sim/soc/core_fault.hpp"

namespace headstack::observe {
struct CoreView;
struct Electronics;
}  // namespace headstack::observe

namespace headstack::session {

class Platform;

struct SessionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The awaited event did not occur within the limit.
struct TimeOut : SessionError {
  using SessionError::SessionError;
};

/// Makes the platform `rtl`, as make_rtl_platform() does (rtl_platform.hpp).
using PlatformMaker = std::unique_ptr<Platform> (*)(const Options& options,
                                                    const drive::DriveDescription& description,
                                                    observe::RunObserver& observer);

/// A firmware event (firmware/events.h).
struct FirmwareEvent {
  std::uint64_t edge = 0;  // clock edge, whose time is soc::time_of_edge()
  unsigned number = 0;
  std::uint32_t argument = 0;
};

/// The costs of a session, for reports.
struct Figures {
  std::uint64_t firmware_cycles = 0;
  double clock_on_share = 0;  // needed share of the clock edges up to now
  std::uint64_t bus_violations = 0;
  /// The counters by which the policy in force measures its own work, by name. Only `native` has
  /// them.
  std::vector<std::pair<std::string, std::uint64_t>> policy_work;
};

class Session {
 public:
  using Ticket = std::size_t;  // numbered 0, 1, ... by submission, over all hosts

  /// The drive's id on the bus, which its firmware sets (hdl: CTRL.own_id).
  static constexpr std::uint8_t kDriveId = 0;
  /// The default limit of waits: longer than any drive needs to become ready.
  static constexpr Picoseconds kPatience = 60'000 * kPicosecondsPerMillisecond;
  /// Conditions are checked, and commands submitted, at multiples of this time at which the core
  /// sleeps.
  static constexpr Picoseconds kGrain = 10 * kPicosecondsPerMicrosecond;

  /// Switches the power on. `observers` receive all reports, in this order. They must outlive the
  /// session, and must not act on the drive. Throws as described above, and SessionError for
  /// options that contradict each other, and for `rtl` without its maker.
  Session(drive::DriveDescription description, const Options& options,
          const std::vector<observe::RunObserver*>& observers = {},
          PlatformMaker make_rtl = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const drive::DriveDescription& description() const;
  const geometry::Geometry& geometry() const;
  const Options& options() const;
  /// Adds an observer after the existing ones.
  void add_observer(observe::RunObserver& observer);

  // ---- Time. It passes only in calls from outside. Calls in callbacks or observers are a bug.

  /// While firmware runs, `vp` may be ahead of the requested time (sim/tlm/README.md).
  Picoseconds now() const;
  /// Runs the world up to and including a time; a past time changes nothing. Throws SessionError
  /// when the media file's disk is full. The world then stands in the middle of a write: it may be
  /// inspected, but time must not pass.
  void run_until(Picoseconds time);
  /// Runs until `condition` holds. Returns false if it does not within `limit` from now, or if the
  /// firmware has stopped.
  bool run_until(const std::function<bool()>& condition, Picoseconds limit = kPatience);
  /// Runs until the firmware reports an event of this number. Returns nothing if none comes within
  /// `limit` from now.
  std::optional<FirmwareEvent> run_until_event(unsigned number, Picoseconds limit = kPatience);

  // ---- Commands.

  /// Submits a command to a host's adapter: at once in a callback, otherwise as soon as the core
  /// sleeps, after at most kRestless. The target is always this drive. The command's `done`, if
  /// any, is called, too.
  Ticket submit(initiator::Command command, std::uint32_t host = 0);
  static constexpr Picoseconds kRestless = 100 * kPicosecondsPerMillisecond;
  bool is_done(Ticket ticket) const;
  /// The completion of a command that is done. The reference is valid as long as the session.
  const initiator::Completion& result(Ticket ticket) const;
  /// Runs until the command is done. Throws TimeOut, or SessionError when the firmware has stopped.
  const initiator::Completion& await(Ticket ticket, Picoseconds limit = kPatience);
  /// Calls submit(), then await().
  const initiator::Completion& execute(initiator::Command command, std::uint32_t host = 0,
                                       Picoseconds limit = kPatience);

  /// Sends TEST UNIT READY from each host until GOOD: the drive is at speed, and no unit attention
  /// is pending. Throws as await() does.
  void make_ready(Picoseconds limit = kPatience);
  /// Sends READ(10) or WRITE(10) for whole blocks from `lba` on, at most 65,535. Throws
  /// SessionError for data other than whole blocks, and, with status and sense, for a status other
  /// than GOOD. Throws as await() does.
  std::vector<std::uint8_t> read_blocks(std::uint32_t lba, std::uint32_t blocks,
                                        std::uint32_t host = 0);
  void write_blocks(std::uint32_t lba, std::vector<std::uint8_t> data, std::uint32_t host = 0);

  // ---- Power. It is on from the beginning, and fails at most once.

  /// Cuts the power now; a callback or an observer may call this, too. The drive keeps only what is
  /// on its media. The sector being written is finished or torn, as the specimen specifies. From
  /// then on no observer is called, time stands still, and outstanding commands never end. Does
  /// nothing without power.
  void lose_power();
  /// Cuts the power at `time`, which is not past. Everything up to and including that clock edge
  /// happens, and nothing later. If called several times, the earliest time counts.
  void lose_power_at(Picoseconds time);
  /// Cuts the power kPowerLag after `time`, which may just be past. Otherwise it is like
  /// lose_power_at().
  void lose_power_soon(Picoseconds time) { lose_power_at(time + kPowerLag); }
  /// Longest delay with which any platform reports an event of the world.
  static constexpr Picoseconds kPowerLag = 8 * soc::kClockPeriodPs;
  /// Time of the planned power loss, if any.
  std::optional<Picoseconds> power_goes_at() const;
  /// Cuts the media's power before byte `byte` is written, and the drive's power kPowerLag after
  /// the last byte of its sector. Bytes are counted from 0, over all data and check bytes that are
  /// written from this call on. Events elsewhere while that sector passes still happen. A cut
  /// before byte 0 of a sector leaves it as it was.
  void lose_power_at_byte(std::uint64_t byte);
  /// Cuts the power at byte `part`, 1 or more, of this write, which is finished or torn. A hook
  /// into the media's writes (MediaPower) calls it, and lose_power() next.
  void finish_or_tear(const media::MediaPower::Write& write, std::uint32_t part);
  bool has_power() const;
  /// Time of the power loss.
  Picoseconds power_lost_at() const;
  /// The content of the media. Without power, it is available once the last sector is finished. Not
  /// for callbacks. Power returns in a new session with this content (Options::media), with the
  /// spindle at rest.
  media::MediaSnapshot take_media();
  /// The media, accessed without the drive. lose_power_at_byte() uses the hook of this store
  /// (MediaPower).
  media::MediaStore& media();
  const media::MediaStore& media() const;

  // ---- Inspection.

  Figures figures() const;
  /// The bus: its phase and its observers.
  bus::ObservedBus& bus();
  /// The tasks in the drive's queue, oldest first, from the firmware's RAM. Throws SessionError in
  /// a session without inspection (Options::look), and for a program without the firmware's
  /// symbols.
  std::vector<observe::QueuedTask> queue() const;
  /// The core's registers, and its memory. Throws SessionError in a session without inspection.
  soc::CoreRegisters registers() const;
  soc::CoreAccess& core_access() const;
  /// Set when the firmware has ended the run: 0, or the number of its assertion
  /// (firmware/kernel/assert.h). exit_time() is the time of the end.
  std::optional<std::uint32_t> exit_code() const;
  Picoseconds exit_time() const;
  /// Reason why the core has stopped by itself, in more detail than exit_code().
  std::optional<soc::CoreFault> core_fault() const;
  /// The core's place and its RAM (CoreAccess::read_ram() alone) once a run is over. Both exist
  /// without inspection, too, but not on `native`.
  std::optional<soc::CoreFrame> core_frame() const;
  const soc::CoreAccess* stopped_core();
  /// Whether the core sleeps at `time`, the last of run_until(): then no later event has happened.
  /// Otherwise `vp` may be ahead of `time`. Always true on `native`.
  bool rests_at(Picoseconds time) const;

  // ---- For code that acts as the hosts (host/replay), or inspects more (host/debug).

  /// The adapter of a host, 0 .. Options::hosts - 1.
  initiator::HostAdapter& adapter(std::uint32_t host);
  /// Sets the action that is called once, at the time of the last wake_at().
  void on_wake(std::function<void()> action);
  /// `time` is not in the past. If it is now, `action` is called soon, but not within this call.
  void wake_at(Picoseconds time);
  /// `action` is called, once, when the world has done all that happens up to the time of the last
  /// pause_at(), and nothing later. It must not act on the world: a debugger waits in it. A pause
  /// does not change the run. A core at work may be ahead.
  void on_pause(std::function<void()> action);
  void pause_at(Picoseconds time);
  /// Null on `native`, which executes no program.
  const observe::CoreView* core() const;
  /// Null except on `rtl`.
  const observe::Electronics* electronics() const;

 private:
  struct World;

  void require_look() const;
  bool step(Picoseconds last);
  void rest();

  std::unique_ptr<World> world_;
};

}  // namespace headstack::session
