// SPDX-License-Identifier: Apache-2.0
// The interface of a session to its platform: a drive with one or more host adapters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "host/observe/run_observer.hpp"
#include "host/session/session.hpp"
#include "sim/bus/observer.hpp"
#include "sim/description/description.hpp"
#include "sim/initiator/host_adapter.hpp"
#include "sim/media/media_store.hpp"

namespace headstack::session {

/// What a session needs of its platform. Session describes each call.
class Platform {
 public:
  virtual ~Platform() = default;

  virtual initiator::HostAdapter& adapter(std::uint32_t host) = 0;
  virtual bus::ObservedBus& bus() = 0;
  virtual Picoseconds now() const = 0;
  virtual void on_wake(std::function<void()> action) = 0;
  virtual void wake_at(Picoseconds time) = 0;
  virtual void on_pause(std::function<void()> action) = 0;
  virtual void pause_at(Picoseconds time) = 0;
  virtual void run_until(Picoseconds time) = 0;
  virtual bool rests_at(Picoseconds time) const {
    (void)time;
    return true;
  }
  virtual std::optional<std::uint32_t> exit_code() const = 0;
  virtual Picoseconds exit_time() const = 0;
  virtual std::optional<soc::CoreFault> core_fault() const { return std::nullopt; }
  /// Implements Session::stopped_core().
  virtual std::optional<soc::CoreFrame> core_frame() const { return std::nullopt; }
  virtual const soc::CoreAccess* stopped_core() { return nullptr; }
  virtual Figures figures() const = 0;
  /// Counts the firmware's cycles in figures() up to and including the clock edge at `time`, which
  /// is not past. A core may be ahead of the world.
  virtual void count_cycles_until(Picoseconds time) = 0;
  virtual media::MediaStore& media() = 0;
  /// Cuts the power at once. Finishing a sector may take more time: MediaPower::is_finishing().
  virtual void lose_power(drive::PowerLoss loss) = 0;
  virtual const observe::CoreView* core() { return nullptr; }
  virtual const observe::Electronics* electronics() { return nullptr; }
};

/// The media selected by the options. Throws SessionError for a file that cannot be opened.
media::MediaStore make_media(const Options& options, const drive::DriveDescription& description);

/// A host's id, and the agreement that it negotiates for.
initiator::Config adapter_config(const Options& options, std::uint32_t host);

/// Makes the platforms kVp and kNative. `description` and `observer` must outlive the platform.
/// Throws the exceptions of its parts.
std::unique_ptr<Platform> make_vp_platform(const Options& options,
                                           const drive::DriveDescription& description,
                                           observe::RunObserver& observer);

}  // namespace headstack::session
