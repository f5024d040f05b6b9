// SPDX-License-Identifier: Apache-2.0
// The output of a command: files that are complete, and standard output, or else an error.
//
// headstack writes every file by this class. A stream of the standard library loses the reason for
// a failure, and fails silently unless it is checked. host/output/result_files.py does the same for
// commands in Python.
#pragma once

#include <csignal>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>

namespace headstack::output {

/// An error such as "NAME: problem: the system's reason; remedy".
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Standard output is a pipe without a reader, as after `| head`. No more output is needed, so a
/// command ends with kPipeClosedStatus and without a message.
struct PipeClosed : OutputError {
  using OutputError::OutputError;
};

/// Exit status that a shell reports for a program that SIGPIPE ended.
constexpr int kPipeClosedStatus = 128 + SIGPIPE;

/// The error for `name`, which could not be made or written because of errno value `error`.
OutputError output_error(const std::string& name, int error);

/// A file to write. Data are certain to be in the file only after commit() or close(). The
/// destructor closes the file silently, for commands that end with another error.
class OutputFile : public std::ostream {
 public:
  OutputFile() : std::ostream(nullptr) {}
  explicit OutputFile(const std::string& path) : OutputFile() { open(path); }
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Makes the file, or empties it. Errors name the file by `shown` instead, unless that is "".
  /// Throws OutputError.
  void open(const std::string& path, const std::string& shown = "");
  /// Opens standard output. close() leaves it open for others. Its errors may be PipeClosed.
  void open_standard_output();
  bool is_open() const { return buffer_.descriptor >= 0; }

  /// Writes all data up to now to the file. Throws OutputError.
  void commit();
  /// Does what commit() does, and closes the file. Does nothing for a file that is not open. Throws
  /// OutputError.
  void close();

 private:
  static constexpr std::size_t kBufferBytes = 1U << 16;

  /// Bytes that have not been written to a descriptor, and the first error there.
  struct Buffer : std::streambuf {
    Buffer() { setp(room.get(), room.get() + kBufferBytes); }
    int_type overflow(int_type character) override;
    int sync() override;
    bool write_out();

    std::unique_ptr<char[]> room{new char[kBufferBytes]};  // left uninitialised
    int descriptor = -1;
    int error = 0;
  };
  Buffer buffer_;
  std::string name_;
  bool owned_ = true;  // whether close() closes the descriptor
};

/// Writes a whole file. Throws OutputError.
void write_file(const std::string& path, std::string_view text);

/// Writes to standard output. Throws OutputError or PipeClosed.
void print(std::string_view text);
/// Ensures that all data written to standard output, by any code, have arrived. Throws OutputError
/// or PipeClosed.
void finish_standard_output();

/// Two write errors are signals that end the program: a file beyond the shell's limit (ulimit -f),
/// and a pipe without a reader. This function turns them into ordinary errors. Call it once, at the
/// program's start.
void take_signals_as_errors();

}  // namespace headstack::output
