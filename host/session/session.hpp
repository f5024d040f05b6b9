// A drive with its world and its hosts, as a C++ library: open it, send commands, let time pass,
// look.
//
//     session::Options options;
//     options.firmware = "build/release/firmware/drive.elf";
//     session::Session session(drive::load("sim/drives/eagle.toml").description, options);
//     session.make_ready();
//     session.write_blocks(1000, data);
//     data = session.read_blocks(1000, 8);
//
// Time is simulated, in picoseconds from power on at 0, and passes only in calls that say so; a
// call that waits takes a limit, and throws TimeOut past it. The same calls in the same order give
// the same bits, on `rtl` and on `vp`, looked into or not: what is done from outside is done while
// the drive's core sleeps, when all of them are at the same time.
//
// Sessions share nothing: `vp` and `native` may have many in one process, one thread in each. `rtl`
// lives in SystemC, which elaborates once per process and calls sc_main(): a process has one such
// session, opened below sc_main(), and its program links headstack_session_rtl, whose maker goes
// into the constructor.
//
// What is wrong with the input is an exception, a sentence for people that names the remedy:
// SessionError; of the description, drive::Fault; of the firmware's file, soc::ElfError. What only
// a bug can do, such as a ticket that was never given out, is an assertion that ends the process.
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

namespace headstack::observe {
struct CoreView;
struct Electronics;
}  // namespace headstack::observe

namespace headstack::session {

class Platform;

struct SessionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// What was waited for has not come within the limit.
struct TimeOut : SessionError {
  using SessionError::SessionError;
};

/// Makes the platform `rtl`: make_rtl_platform() (rtl_platform.hpp).
using PlatformMaker = std::unique_ptr<Platform> (*)(const Options& options,
                                                    const drive::DriveDescription& description,
                                                    observe::RunObserver& observer);

/// An event of the firmware (firmware/events.h).
struct FirmwareEvent {
  std::uint64_t edge = 0;  // clock edge; soc::time_of_edge() is its time
  unsigned number = 0;
  std::uint32_t argument = 0;
};

/// What a session cost, for reports.
struct Figures {
  std::uint64_t firmware_cycles = 0;
  double clock_on_share = 0;  // of all clock edges so far, those that were needed
  std::uint64_t bus_violations = 0;
  /// Native: what the policy in force counts of its own work, by name; others count nothing.
  std::vector<std::pair<std::string, std::uint64_t>> policy_work;
};

class Session {
 public:
  using Ticket = std::size_t;  // 0, 1, ... in the order of submission, of all hosts

  /// The drive's id on the bus, as its firmware sets it (hdl: CTRL.own_id).
  static constexpr std::uint8_t kDriveId = 0;
  /// How long to wait, if not said: longer than any drive takes to come up.
  static constexpr Picoseconds kPatience = 60'000 * kPicosecondsPerMillisecond;
  /// A condition is looked at, and a command given out, at a multiple of this at which the core
  /// sleeps.
  static constexpr Picoseconds kGrain = 10 * kPicosecondsPerMicrosecond;

  /// Power on. `observers` hear everything from then on, in this order, and must outlive the
  /// session; there they note, and act on nothing. Throws as said above; SessionError for options
  /// that do not go together, and for `rtl` without its maker.
  Session(drive::DriveDescription description, const Options& options,
          const std::vector<observe::RunObserver*>& observers = {},
          PlatformMaker make_rtl = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const drive::DriveDescription& description() const;
  const geometry::Geometry& geometry() const;
  const Options& options() const;
  /// Hears of what comes, behind those that are there.
  void add_observer(observe::RunObserver& observer);

  // ---- Time. It passes in calls from outside: within a callback or an observer they are a bug.

  /// Where firmware is at work, `vp` is ahead of what was asked for (sim/tlm/README.md).
  Picoseconds now() const;
  /// Lets the world go on up to and with a time; one that is past changes nothing.
  void run_until(Picoseconds time);
  /// Until `condition` holds; false: not within `limit` from now, or the firmware has stopped.
  bool run_until(const std::function<bool()>& condition, Picoseconds limit = kPatience);
  /// Until the firmware reports an event of this number; nothing: not within `limit` from now.
  std::optional<FirmwareEvent> run_until_event(unsigned number, Picoseconds limit = kPatience);

  // ---- Commands.

  /// Gives a command to a host's adapter: within a callback now, else as soon as the core sleeps,
  /// which takes kRestless at most. Its target is this drive, whatever it says; its `done`, if it
  /// has one, is called, too.
  Ticket submit(initiator::Command command, std::uint32_t host = 0);
  static constexpr Picoseconds kRestless = 100 * kPicosecondsPerMillisecond;
  bool is_done(Ticket ticket) const;
  /// Of a command that is done. Stays as long as the session.
  const initiator::Completion& result(Ticket ticket) const;
  /// Runs until the command is done. Throws TimeOut; SessionError when the firmware has stopped.
  const initiator::Completion& await(Ticket ticket, Picoseconds limit = kPatience);
  /// submit() and await().
  const initiator::Completion& execute(initiator::Command command, std::uint32_t host = 0,
                                       Picoseconds limit = kPatience);

  /// TEST UNIT READY from each host until GOOD: the drive is at speed, and no unit attention waits.
  /// Throws as await() does.
  void make_ready(Picoseconds limit = kPatience);
  /// READ(10) and WRITE(10): whole blocks from `lba` on, 65,535 at most. Throws SessionError for
  /// data that are no whole blocks, and with status and sense when the drive does not end it with
  /// GOOD; as await() does.
  std::vector<std::uint8_t> read_blocks(std::uint32_t lba, std::uint32_t blocks,
                                        std::uint32_t host = 0);
  void write_blocks(std::uint32_t lba, std::vector<std::uint8_t> data, std::uint32_t host = 0);

  // ---- Power. It is there from the beginning, and goes once.

  /// The power goes, now; also from within a callback or an observer. The drive forgets everything
  /// but what is on its media. The sector of which data are being written is finished or torn, as
  /// the specimen has it. Nothing of what comes is told to anybody, time stands still, and commands
  /// that are out stay out. Nothing, when it is gone already.
  void lose_power();
  /// The power goes when byte `byte` is to be written, of all data and check bytes from now on,
  /// counted from 0: those before it are. What happens elsewhere while that sector passes has
  /// happened. Before byte 0 of a sector nothing of it is written.
  void lose_power_at_byte(std::uint64_t byte);
  /// For who hooks into the media's writes: the power goes with byte `part`, 1 or more, of this
  /// one, which is finished or torn. lose_power() comes next.
  void finish_or_tear(const media::MediaPower::Write& write, std::uint32_t part);
  bool has_power() const;
  /// When it went.
  Picoseconds power_lost_at() const;
  /// What the media hold; without power, once the last sector is finished. Not within a callback.
  /// Power returns as a session with these (Options::media) whose spindle is at rest.
  media::MediaSnapshot take_media();
  /// The media, past the drive: whoever wants to cut at a byte hooks in there (MediaPower).
  media::MediaStore& media();
  const media::MediaStore& media() const;

  // ---- Looking.

  Figures figures() const;
  /// The bus: its phase, and who listens to it.
  bus::ObservedBus& bus();
  /// The tasks in the drive's queue, oldest first, from the firmware's RAM. Throws SessionError in
  /// a session that does not look (Options::look), and for a program without the firmware's
  /// symbols.
  std::vector<observe::QueuedTask> queue() const;
  /// The core's registers, and its memory. Throws SessionError in a session that does not look.
  soc::CoreRegisters registers() const;
  soc::CoreAccess& core_access() const;
  /// Set when the firmware has ended the run: 0, or its assertion (firmware/kernel/assert.h); and
  /// when that was.
  std::optional<std::uint32_t> exit_code() const;
  Picoseconds exit_time() const;
  /// The core sleeps at `time`, run_until()'s last: nothing behind it has happened. Else `vp` may
  /// be ahead of it. True on `native`, which is where its firmware took it.
  bool rests_at(Picoseconds time) const;

  // ---- For those who are the hosts themselves (host/replay), or look deeper (host/debug).

  /// Of a host, 0 .. Options::hosts - 1.
  initiator::HostAdapter& adapter(std::uint32_t host);
  /// `action` is called at the time of the last wake_at(), once.
  void on_wake(std::function<void()> action);
  /// `time` is not in the past; now is soon, but not within the call.
  void wake_at(Picoseconds time);
  /// Null on `native`, which executes no program.
  const observe::CoreView* core() const;
  /// Null but on `rtl`.
  const observe::Electronics* electronics() const;

 private:
  struct World;

  void require_look() const;
  bool step(Picoseconds last);
  void rest();

  std::unique_ptr<World> world_;
};

}  // namespace headstack::session
