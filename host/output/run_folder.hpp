// SPDX-License-Identifier: Apache-2.0
// The folder of one run. While the run lasts, it belongs to this run alone, and contains no file of
// an earlier run.
//
// FOLDER/.headstack-run lists a run's files, one per line, as soon as each is made. Its first line
// has the format, and during the run the process. The file is also the lock (flock). So a later run
// can distinguish a run's files from others. It refuses a folder that contains a run. With
// `replace`, it removes that run's files and no others. Devices belong to no run: a run writes into
// one that has the name of its file. A pipe of that name is refused: without a reader the run would
// wait for ever.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>

#include "host/output/descriptor.hpp"
#include "host/output/output_file.hpp"

namespace headstack::output {

// Names of the files that runs leave, besides those that users choose.
namespace run_file {
constexpr const char* kRecords = "records.csv";
constexpr const char* kSummaryJson = "summary.json";
constexpr const char* kSummaryText = "summary.txt";
constexpr const char* kLearned = "counts.json";
constexpr const char* kDrive = "drive.toml";
constexpr const char* kEvents = "events.txt";
constexpr const char* kLedger = "ledger.txt";
constexpr const char* kAccesses = "accesses.txt";
constexpr const char* kProfile = "profile.txt";
constexpr const char* kTimeline = "timeline.perfetto";
constexpr const char* kScenario = "scenario.toml";
constexpr const char* kPostMortem = "post-mortem.txt";
constexpr const char* kPostMortemWaves = "post-mortem.fst";
constexpr const char* kGdbSocket = "gdb.socket";
constexpr const char* kAll[] = {kRecords,  kSummaryJson, kSummaryText,     kLearned,  kDrive,
                                kEvents,   kLedger,      kAccesses,        kProfile,  kTimeline,
                                kScenario, kPostMortem,  kPostMortemWaves, kGdbSocket};
}  // namespace run_file

class RunFolder {
 public:
  /// Makes the folder, and locks it. Throws OutputError if it cannot be made, if another process
  /// has a run there, or if it contains a run that must not be replaced. It also throws if a file
  /// has the name of a run's file, but is not from a run.
  RunFolder(const std::string& folder, bool replace);
  /// Unlocks the folder, in the process that locked it. If no run has begun, the folder is left
  /// unchanged.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Begins the run, after its input was found good. Removes the files of an older run, if there is
  /// one. Throws OutputError.
  void begin();

 private:
  void lock();
  bool try_lock();
  void take_inventory();
  void refuse_strangers() const;
  void remove_run();
  void note_end() const;

  std::string folder_;
  std::set<std::string> files_;  // files of the older run that exist
  Descriptor lock_;
  pid_t owner_;
};

/// Whether a run in `folder` gives the name of this path to a file of its own: one of kAll, or the
/// manifest. False for a device.
bool is_own_name(const std::string& folder, const std::string& path);

/// Whether both paths are the same file, or would be. False for devices.
bool is_same_file(const std::string& path, const std::string& other);

/// Throws OutputError if a file cannot be made at `path`, or written. It checks only what can be
/// checked without doing so.
void require_writable(const std::string& path);

/// Lists `path` as a file of the present run in `folder`, in any of its processes. Does nothing for
/// a file elsewhere, or one that is listed already. Throws OutputError.
void note_run_file(const std::string& folder, const std::string& path);

/// Lists the file `name` in `folder`. @return its path. Throws OutputError.
std::string claim_run_file(const std::string& folder, const std::string& name);

}  // namespace headstack::output
