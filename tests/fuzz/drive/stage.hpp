// SPDX-License-Identifier: Apache-2.0
/// @file The simulation of a storyline on one platform: a drive, a bus, and hosts. A program links
///   stage_vp.cpp, which serves two platforms, or stage_rtl.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "sim/bus/observer.hpp"
#include "sim/bus/phase.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/media/media_store.hpp"
#include "tests/fuzz/drive/block_model.hpp"
#include "tests/fuzz/drive/host.hpp"
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// The firmware has been awake for so long that it may never sleep again.
struct Restless : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The longest time that firmware may be awake at once. A defect list of 64 KiB, sent byte by byte,
/// takes a quarter of this.
constexpr Picoseconds kRestlessMax = kPicosecondsPerSecond;
/// When hosts let the drive make a map, it anneals between all other work, which takes seconds.
constexpr Picoseconds kRestlessWithMaps = 60 * kPicosecondsPerSecond;

class Stage {
 public:
  virtual ~Stage() = default;

  virtual Picoseconds now() const = 0;
  /// Simulates up to a point in time, and perhaps a little further. Throws Restless.
  virtual void run_until(Picoseconds time) = 0;
  /// Acts at exactly that time, even if firmware runs then. The answer is the time of the next
  /// call; kOpen: none.
  using Act = std::function<Picoseconds()>;
  virtual void schedule(Picoseconds time, const Act& act) = 0;
  /// The time of the next act; kOpen when none is due.
  virtual Picoseconds scheduled() const = 0;
  /// The firmware's exit code. Only a bug can make the firmware stop.
  virtual std::optional<std::uint32_t> exit_code() const = 0;

  /// The host with this number in the storyline.
  virtual Host& host(std::size_t index) = 0;

  virtual bus::Phase phase() const = 0;
  /// Number of phases so far, and of bytes in phases that are not for data.
  virtual std::uint64_t phase_count() const = 0;
  virtual std::uint64_t control_byte_count() const = 0;
  /// Violations of the bus's protocol so far.
  virtual const std::vector<bus::Violation>& violations() const = 0;

  // Access to the media without the drive.
  virtual media::MediaStore& media() = 0;
  virtual media::SectorIndex sector_of(std::uint32_t lba) const = 0;
  /// The circle of waits in the firmware (tests/waits), or "". Only `native`, which runs the
  /// firmware in this process, can look at its state; otherwise it is always "".
  virtual std::string find_circle() const { return ""; }
  /// Whether unwritten blocks are zeros: the drive is too large to prepare.
  virtual bool is_blank() const = 0;
};

/// kRestlessMax, or kRestlessWithMaps.
Picoseconds longest_awake(const Storyline& storyline);

/// Turns the power on. The storyline must outlive the stage.
std::unique_ptr<Stage> make_stage(const Storyline& storyline);

/// The platform of this program: "native", "vp" or "rtl".
const char* platform_name();

// Functions for the platforms.

/// Larger drives are left blank.
constexpr std::uint32_t kPreparedBlocksMax = 10'000;
/// Fills every block with its version 0.
void prepare_media(const geometry::Geometry& geometry, std::uint32_t block_bytes,
                   media::MediaStore* media);
void inject_flaws(const Storyline& storyline, const geometry::Geometry& geometry,
                  media::MediaStore* media);

}  // namespace headstack::fuzz
