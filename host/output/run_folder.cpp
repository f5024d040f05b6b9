// SPDX-License-Identifier: Apache-2.0
#include "host/output/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace headstack::output {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = ".headstack-run";
constexpr const char* kFormat = "headstack-run 1 ";
constexpr const char* kNoProcess = "-";
// After a run was killed, its snapshots take a moment to end.
constexpr int kLockTries = 20;
constexpr useconds_t kLockWaitUs = 50'000;

std::string manifest_of(const std::string& folder) {
  return (fs::path(folder) / kManifest).string();
}

/// The content of a manifest; empty for a folder without one.
struct Manifest {
  std::string process;  // process of a run that is under way, or was killed
  std::set<std::string> files;
};

Manifest read_manifest(const std::string& folder) {
  Manifest manifest;
  std::ifstream in(manifest_of(folder));
  std::string line;
  if (!std::getline(in, line) || line.rfind(kFormat, 0) != 0) return manifest;
  manifest.process = line.substr(line.find_last_of(' ') + 1);
  while (std::getline(in, line)) manifest.files.insert(line);
  return manifest;
}

/// The first line of the manifest. Its length does not depend on the process, so it can be changed
/// in place, which takes no room on the disk.
std::string first_line(const std::string& process) {
  return fmt::format("{}{:>10}\n", kFormat, process);
}

bool is_device(const fs::path& path) {
  std::error_code error;
  return fs::status(path, error).type() == fs::file_type::character;
}

/// Whether something is at this path that would be lost, written through to, or waited for. A
/// device is none of these.
bool is_taken(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error)) && !is_device(path);
}

/// Whether the folder has a run of a headstack that left no manifest.
bool is_old_run(const std::string& folder) {
  std::ifstream in(fs::path(folder) / run_file::kSummaryJson);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  return json.is_object() && json.contains("headstack") && json.contains("event_hash");
}

/// The part of `path` below the folder; "" for a path that lies elsewhere.
std::string name_in(const std::string& folder, const fs::path& path) {
  const fs::path place = fs::weakly_canonical(path.parent_path()) / path.filename();
  const fs::path name = place.lexically_relative(fs::canonical(folder));
  return name.empty() || *name.begin() == ".." ? "" : name.string();
}

}  // namespace

RunFolder::RunFolder(const std::string& folder, bool replace)
    : folder_(folder), owner_(::getpid()) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw output_error(folder, error.value());
  lock();
  try {
    take_inventory();
    refuse_strangers();
    if (!files_.empty() && !replace) {
      throw OutputError(fmt::format(
          "--out {}: holds a run already ({}); give another folder, or --force to replace that run",
          folder, *files_.begin()));
    }
  } catch (...) {
    note_end();
    throw;
  }
}

RunFolder::~RunFolder() {
  if (::getpid() != owner_) return;
  note_end();
  // The snapshots of a run have the same lock, and may live a moment longer.
  ::flock(lock_.get(), LOCK_UN);
}

void RunFolder::begin() {
  remove_run();
  write_file(manifest_of(folder_), first_line(std::to_string(owner_)));
}

void RunFolder::lock() {
  for (int tries = 0; !try_lock(); ++tries) {
    if (tries == kLockTries) {
      const std::string process = read_manifest(folder_).process;
      throw OutputError(fmt::format(
          "--out {}: {} is writing a run there; wait for its end, or give another folder", folder_,
          process.empty() ? "another process" : "process " + process));
    }
    ::usleep(kLockWaitUs);
  }
}

/// Returns false when another process has the lock. The file is opened for reading, because files
/// opened for writing are rewound with the run's snapshots.
bool RunFolder::try_lock() {
  const std::string path = manifest_of(folder_);
  lock_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!lock_.open()) throw output_error(path, errno);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK || errno == EINTR) return false;
    throw output_error(path, errno);
  }
  // The previous owner may have removed the file before it released the lock.
  struct stat locked {};
  struct stat named {};
  return ::fstat(lock_.get(), &locked) == 0 && ::stat(path.c_str(), &named) == 0 &&
         locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

/// Finds the existing files of an older run.
void RunFolder::take_inventory() {
  std::set<std::string> names = read_manifest(folder_).files;
  if (names.empty() && is_old_run(folder_)) {
    names.insert(std::begin(run_file::kAll), std::end(run_file::kAll));
  }
  for (const std::string& name : names) {
    // No file outside of the folder is removed, whatever the manifest says.
    const fs::path path = fs::path(folder_) / name;
    if (is_taken(path) && name_in(folder_, path) == name) files_.insert(name);
  }
}

void RunFolder::refuse_strangers() const {
  for (const char* name : run_file::kAll) {
    const fs::path path = fs::path(folder_) / name;
    if (!is_taken(path) || files_.count(name) != 0) continue;
    throw OutputError(
        fmt::format("{}: has the name of a run's file, but was not left by a run; move it, or give "
                    "another --out",
                    path.string()));
  }
}

void RunFolder::remove_run() {
  for (const std::string& name : files_) {
    const fs::path path = fs::path(folder_) / name;
    if (::unlink(path.c_str()) != 0) throw output_error(path.string(), errno);
  }
  files_.clear();
}

void RunFolder::note_end() const {
  const std::string path = manifest_of(folder_);
  struct stat status {};
  if (::fstat(lock_.get(), &status) == 0 && status.st_size == 0) {
    ::unlink(path.c_str());
    return;
  }
  if (read_manifest(folder_).process != std::to_string(owner_)) return;
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const std::string line = first_line(kNoProcess);
  // An error has little effect: a run that is over looks like one that was killed.
  [[maybe_unused]] const ssize_t written = ::pwrite(file.get(), line.data(), line.size(), 0);
}

bool is_own_name(const std::string& folder, const std::string& path) {
  const auto is = [&](const char* name) {
    return is_same_file(path, (fs::path(folder) / name).string());
  };
  return is(kManifest) || std::any_of(std::begin(run_file::kAll), std::end(run_file::kAll), is);
}

bool is_same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  if (is_device(path) || is_device(other)) return false;
  if (fs::equivalent(path, other, error)) return true;
  const fs::path place = fs::weakly_canonical(fs::absolute(path), error);
  return !error && place == fs::weakly_canonical(fs::absolute(other), error) && !error;
}

void require_writable(const std::string& path) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (fs::is_directory(there)) throw output_error(path, EISDIR);
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  const bool writable = fs::exists(there) ? ::access(path.c_str(), W_OK) == 0
                                          : ::access((folder + "/.").c_str(), W_OK | X_OK) == 0;
  if (!writable) throw output_error(path, errno);
}

void note_run_file(const std::string& folder, const std::string& path) {
  const std::string name = name_in(folder, path);
  const bool fits_a_line = name.find('\n') == std::string::npos;
  if (name.empty() || !fits_a_line || read_manifest(folder).files.count(name) != 0) return;
  const std::string manifest = manifest_of(folder);
  const std::string line = name + '\n';
  const Descriptor file(::open(manifest.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file.open() ||
      ::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw output_error(manifest, errno);
  }
}

std::string claim_run_file(const std::string& folder, const std::string& name) {
  std::string path = (fs::path(folder) / name).string();
  note_run_file(folder, path);
  return path;
}

}  // namespace headstack::output
