// SPDX-License-Identifier: Apache-2.0
// The output of a command: complete files and standard output, or an error.
//
// headstack writes every file through this class. A stream of the standard library loses the reason
// of a failure, and fails silently unless it is checked. host/output/result_files.py does the same
// for commands in Python.
#pragma once

#include <csignal>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>

namespace headstack::output {

/// "NAME: problem: the system's reason; remedy".
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Standard output is a pipe that has no reader any more, as in `| head`. The reader wanted no
/// more, so a command ends with kPipeClosedStatus and without a message.
struct PipeClosed : OutputError {
  using OutputError::OutputError;
};

/// What a shell says of a program that SIGPIPE ended.
constexpr int kPipeClosedStatus = 128 + SIGPIPE;

/// The error for `name`, which could not be made or written because of this errno.
OutputError output_error(const std::string& name, int error);

/// A file to write. Data is sure to be in the file only after commit() or close(). The destructor
/// closes the file silently, for commands that end with another error.
class OutputFile : public std::ostream {
 public:
  OutputFile() : std::ostream(nullptr) {}
  explicit OutputFile(const std::string& path) : OutputFile() { open(path); }
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Makes the file, or empties it. `shown` names it in errors, if that is another path. Throws
  /// OutputError.
  void open(const std::string& path, const std::string& shown = "");
  /// Standard output; close() leaves it open for others. Its errors may be PipeClosed.
  void open_standard_output();
  bool is_open() const { return buffer_.descriptor >= 0; }

  /// Writes all data so far to the file. Throws OutputError.
  void commit();
  /// The same, and closes the file. Does nothing for a file that is not open. Throws OutputError.
  void close();

 private:
  static constexpr std::size_t kBufferBytes = 1U << 16;

  /// Bytes on their way to a descriptor, and the first error there.
  struct Buffer : std::streambuf {
    Buffer() { setp(room.get(), room.get() + kBufferBytes); }
    int_type overflow(int_type character) override;
    int sync() override;
    bool write_out();

    std::unique_ptr<char[]> room{new char[kBufferBytes]};  // uninitialised
    int descriptor = -1;
    int error = 0;
  };
  Buffer buffer_;
  std::string name_;
  bool owned_ = true;  // the descriptor
};

/// Writes a whole file. Throws OutputError.
void write_file(const std::string& path, std::string_view text);

/// Writes to standard output. Throws OutputError, or PipeClosed.
void print(std::string_view text);
/// Makes sure that all data written to standard output, by any code, has arrived. Throws
/// OutputError, or PipeClosed.
void finish_standard_output();

/// Two write errors are signals that end the program: a file beyond the shell's limit (ulimit -f),
/// and a pipe without a reader. This makes them ordinary errors. Call it once, at the program's
/// start.
void take_signals_as_errors();

}  // namespace headstack::output
