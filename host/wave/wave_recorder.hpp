// SPDX-License-Identifier: Apache-2.0
// Records a run into FST files: every signal of the electronics, and those of the drive, in the
// requested windows.
//
// Each window has a file: FILE.fst, then FILE.2.fst, up to kMaxFiles. Edges, inputs, bus lines and
// samples of the mechanics are written with their time in picoseconds. The SoC may have run ahead
// of the kernel, but never past the world's next change. So changes of both come in the order of
// time.
//
// The recorder only observes: the run does not depend on it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/observe/drive_probe.hpp"
#include "host/wave/drive_signals.hpp"
#include "host/wave/mechanics_sampler.hpp"
#include "host/wave/wave_control.hpp"
#include "host/wave/wave_windows.hpp"
#include "sim/bus/scsi_bus.hpp"
#include "sim/soc/soc_waves.hpp"

namespace headstack::wave {

/// The signals to record, and the files.
struct WavePlan {
  std::string file;  // FILE.fst; "": recorded only by command
  std::vector<options::WaveWindow> windows;
  Picoseconds after = 10 * kPicosecondsPerMillisecond;   // length of a window that an event opens
  std::function<void(const std::string& path)> on_file;  // called for each file that is made
};

class WaveRecorder : public observe::RunObserver,
                     public soc::CoreWatcher,
                     public WaveControl,
                     private bus::BusObserver {
 public:
  static constexpr unsigned kMaxFiles = 16;

  /// All arguments must outlive the recorder. `soc` is of the inspecting build and in reset;
  /// `probe` must receive every event before the recorder. An existing file is replaced. Throws
  /// std::runtime_error when the file cannot be made.
  WaveRecorder(const WavePlan& plan, const soc::ElfImage& firmware, soc::Soc& soc,
               const channel::HeadDiskAssembly& hda, bus::ScsiBus& bus,
               const observe::DriveProbe& probe);
  /// Closes the file.
  ~WaveRecorder() override;
  WaveRecorder(const WaveRecorder&) = delete;
  WaveRecorder& operator=(const WaveRecorder&) = delete;

  /// Ends the recording at `at`. @return sentences about windows that did not open, or were too
  /// many.
  std::vector<std::string> finish(Picoseconds at);

  /// A sentence for each closed file that is incomplete.
  const std::vector<std::string>& unwritten() const { return unwritten_; }

  // Commands open and close files by these functions. After the first such call, windows do not.
  void open(const std::string& path) override;
  std::string close() override;
  void abandon() override;

  void time_passes(Picoseconds until) override { catch_up(until); }
  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override;
  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void seek_began(Picoseconds at, const geometry::Chs& track,
                  const mechanics::Positioning& parts) override;
  void levels_changed(Picoseconds at, const channel::HdaLevels& levels) override;
  void command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                      const traces::TraceRequest& request) override;
  void command_completed(Picoseconds at, std::uint16_t tag,
                         const report::CommandRecord& record) override;

 private:
  void lines_changed(Picoseconds at, bus::LineSet before, bus::LineSet now) override;
  void phase_changed(Picoseconds at, bus::Phase from, bus::Phase to) override;
  void byte_moved(Picoseconds at, bus::Phase phase, bus::LineSet lines) override;
  void violated(const bus::Violation& violation) override;

  void catch_up(Picoseconds until);
  void sample_until(Picoseconds until);
  void sample(Picoseconds at);
  void take_firmware(Picoseconds at);
  void apply_windows(Picoseconds at);
  void start_file(const std::string& path, Picoseconds at);
  void stop_file(Picoseconds at);
  std::string next_path() const;

  WavePlan plan_;
  observe::FunctionTable functions_;
  const observe::DriveProbe& probe_;
  bus::ScsiBus& bus_;
  MechanicsSampler sampler_;
  DriveSignals drive_;
  soc::SocWaves waves_;
  WaveWindows windows_;

  Picoseconds latest_ = 0;       // last time that was reported
  Picoseconds next_change_ = 0;  // next change of the windows that time alone causes
  Picoseconds next_sample_ = 0;
  std::uint32_t last_address_ = 0;  // address of the last instruction
  bool asleep_ = false;
  bool by_hand_ = false;
  unsigned files_ = 0;
  bool skipping_ = false;  // the open window has no file: kMaxFiles were made
  unsigned skipped_ = 0;   // number of windows without a file
  std::string path_;       // path of the last file
  std::vector<std::string> unwritten_;
};

}  // namespace headstack::wave
