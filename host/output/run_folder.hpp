// The folder of one run: of this one alone while it lasts, and of no other before it.
//
// A run's files are named in FOLDER/.headstack-run, one a line, as soon as each is made. The first
// line has the format, and the process while the run lasts; the file is the lock, too (flock). So
// who comes later can tell a run's files from what else lies there: a folder that holds a run is
// refused, or, with `replace`, emptied of that run's files and of nothing else. Devices and pipes
// are nobody's file: a run that finds one under a name of its own writes into it.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>

#include "host/output/descriptor.hpp"
#include "host/output/output_file.hpp"

namespace headstack::output {

// Names of the files that runs leave, beside those that users choose.
namespace run_file {
constexpr const char* kRecords = "records.csv";
constexpr const char* kSummaryJson = "summary.json";
constexpr const char* kSummaryText = "summary.txt";
constexpr const char* kDrive = "drive.toml";
constexpr const char* kEvents = "events.txt";
constexpr const char* kLedger = "ledger.txt";
constexpr const char* kAccesses = "accesses.txt";
constexpr const char* kProfile = "profile.txt";
constexpr const char* kPostMortem = "post-mortem.txt";
constexpr const char* kPostMortemWaves = "post-mortem.fst";
constexpr const char* kGdbSocket = "gdb.socket";
constexpr const char* kAll[] = {kRecords,    kSummaryJson,     kSummaryText, kDrive,
                                kEvents,     kLedger,          kAccesses,    kProfile,
                                kPostMortem, kPostMortemWaves, kGdbSocket};
}  // namespace run_file

class RunFolder {
 public:
  /// Makes the folder, and takes it. Throws OutputError: another process has a run there; it holds
  /// one, which must not be replaced; something that no run left has the name of one of a run's
  /// files; it cannot be made.
  RunFolder(const std::string& folder, bool replace);
  /// Gives it back, in the process that took it; one in which no run has begun without a trace.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// The run can begin: its input is good. Empties the folder of the older run, if there is one.
  /// Throws OutputError.
  void begin();

 private:
  void lock();
  bool try_lock();
  void take_inventory();
  void refuse_strangers() const;
  void remove_run();
  void note_end() const;

  std::string folder_;
  std::set<std::string> files_;  // of the older run, that are there
  Descriptor lock_;
  pid_t owner_;
};

/// Notes `path` as a file of the run that is under way in `folder`, in whatever process of it;
/// nothing to do for one that lies elsewhere, or is noted. Throws OutputError.
void note_run_file(const std::string& folder, const std::string& path);

/// The path of `name` in `folder`, noted. Throws OutputError.
std::string claim_run_file(const std::string& folder, const std::string& name);

}  // namespace headstack::output
