// A drive on one of the platforms with one host adapter or more in front: what a run needs of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/observe/run_observer.hpp"
#include "host/run/options.hpp"
#include "sim/description/description.hpp"
#include "sim/initiator/host_adapter.hpp"

namespace headstack::run {

struct CoreView;
struct Electronics;

class Platform {
 public:
  /// What a run cost, for reports.
  struct Figures {
    std::uint64_t firmware_cycles = 0;
    double clock_on_share = 0;  // of all clock edges so far, those that were needed
    std::uint64_t bus_violations = 0;
  };

  virtual ~Platform() = default;

  /// Of a host, 0 .. RunOptions::initiators - 1 (host_tag.hpp).
  virtual initiator::HostAdapter& adapter(std::uint32_t host) = 0;
  virtual Picoseconds now() const = 0;

  /// `action` is called at the time of the last wake_at(), once.
  virtual void on_wake(std::function<void()> action) = 0;
  /// `time` is not in the past; now is soon, but not within the call.
  virtual void wake_at(Picoseconds time) = 0;

  /// Lets the world go on up to and with a time.
  virtual void run_until(Picoseconds time) = 0;
  /// The core sleeps at `time`, run_until()'s last: nothing behind it has happened. Else `vp` may
  /// be ahead of it. True on `native`, which is where its firmware took it.
  virtual bool rests_at(Picoseconds time) const {
    (void)time;
    return true;
  }
  /// Set when the firmware has ended the run: 0, or its assertion.
  virtual std::optional<std::uint32_t> exit_code() const = 0;
  /// With exit_code().
  virtual Picoseconds exit_time() const = 0;
  virtual Figures figures() const = 0;
  /// Null on `native`, which executes no program.
  virtual const CoreView* core() { return nullptr; }
  /// Null but on `rtl`.
  virtual const Electronics* electronics() { return nullptr; }
};

/// A host's id, and what it negotiates for by RunOptions::bus.
initiator::Config adapter_config(const RunOptions& options, std::uint32_t host);

/// The program of the drive's core on `rtl` and `vp`: RunOptions::firmware, or the one that was
/// built.
std::string firmware_file(const RunOptions& options);

/// Cycle by cycle. `description` and `observer` must outlive it. Throws what the parts throw for
/// what they cannot work with.
std::unique_ptr<Platform> make_rtl_platform(const RunOptions& options,
                                            const drive::DriveDescription& description,
                                            RunObserver& observer);

/// The same program on the fast models, or, on `native`, the firmware natively. Likewise.
std::unique_ptr<Platform> make_vp_platform(const RunOptions& options,
                                           const drive::DriveDescription& description,
                                           RunObserver& observer);

}  // namespace headstack::run
