// SPDX-License-Identifier: Apache-2.0
#include "host/output/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <utility>

namespace headstack::output {
namespace {

constexpr const char* kStandardOutput = "standard output";

struct Remedy {
  int error;
  const char* text;
};
constexpr Remedy kRemedies[] = {
    {ENOSPC, "make room on its disk, or write to another"},
    {EDQUOT, "make room in this user's quota, or write to another disk"},
    {EFBIG, "lift the limit for files (ulimit -f), or write to a file system with larger ones"},
    {EACCES, "write to a folder of this user's, or change the permissions"},
    {EPERM, "write to a folder of this user's, or change the permissions"},
    {EROFS, "write to a file system that is not read-only"},
    {ENOENT, "make its folder first"},
    {ENOTDIR, "give a path that leads through folders only"},
    {EISDIR, "give another name: there is a folder of this name"},
    {ENAMETOOLONG, "give a shorter name"},
};

std::string remedy_for(int error) {
  for (const Remedy& remedy : kRemedies) {
    if (remedy.error == error) return std::string("; ") + remedy.text;
  }
  return "";
}

}  // namespace

OutputError output_error(const std::string& name, int error) {
  return OutputError(
      fmt::format("{}: cannot be written: {}{}", name, std::strerror(error), remedy_for(error)));
}

namespace {

[[noreturn]] void fail_to_write(const std::string& name, int error) {
  if (error == EPIPE && name == kStandardOutput) {
    throw PipeClosed(output_error(name, error).what());
  }
  throw output_error(name, error);
}

}  // namespace

// --------------------------------------------------------------------------------- OutputFile

OutputFile::~OutputFile() {
  if (!is_open()) return;
  buffer_.write_out();
  if (owned_) ::close(buffer_.descriptor);
}

void OutputFile::open(const std::string& path, const std::string& shown) {
  name_ = shown.empty() ? path : shown;
  buffer_.descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (!is_open()) throw output_error(name_, errno);
  rdbuf(&buffer_);
}

void OutputFile::open_standard_output() {
  name_ = kStandardOutput;
  owned_ = false;
  buffer_.descriptor = STDOUT_FILENO;
  rdbuf(&buffer_);
}

void OutputFile::commit() {
  if (!is_open()) return;
  buffer_.write_out();
  if (buffer_.error != 0) fail_to_write(name_, buffer_.error);
}

void OutputFile::close() {
  if (!is_open()) return;
  buffer_.write_out();
  const int descriptor = std::exchange(buffer_.descriptor, -1);
  // Some file systems report only at this point that there was no room.
  if (owned_ && ::close(descriptor) != 0 && buffer_.error == 0) buffer_.error = errno;
  if (buffer_.error != 0) fail_to_write(name_, buffer_.error);
}

/// Writes the buffer. After a failure, later data are lost, and are not tried again.
bool OutputFile::Buffer::write_out() {
  const char* at = pbase();
  while (error == 0 && at != pptr()) {
    const ssize_t written = ::write(descriptor, at, static_cast<std::size_t>(pptr() - at));
    if (written >= 0) {
      at += written;
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  setp(room.get(), room.get() + kBufferBytes);
  return error == 0;
}

OutputFile::Buffer::int_type OutputFile::Buffer::overflow(int_type character) {
  if (!write_out()) return traits_type::eof();
  if (!traits_type::eq_int_type(character, traits_type::eof())) {
    sputc(traits_type::to_char_type(character));
  }
  return traits_type::not_eof(character);
}

int OutputFile::Buffer::sync() { return write_out() ? 0 : -1; }

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file << text;
  file.close();
}

// ----------------------------------------------------------------------------- standard output

namespace {

/// Fails with the first reason. The system reports it only once, and the stream stays bad.
[[noreturn]] void fail_standard_output() {
  static const int reason = errno != 0 ? errno : EIO;
  fail_to_write(kStandardOutput, reason);
}

}  // namespace

void print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_standard_output();
}

void finish_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (!whole) fail_standard_output();
}

void take_signals_as_errors() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace headstack::output
