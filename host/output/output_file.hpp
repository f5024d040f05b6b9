// What a command leaves: files and standard output that are whole, or an error that says so.
//
// Every file that headstack writes goes through here, since a stream of the library alone forgets
// why it failed, and fails without a word when nobody asks. host/output/result_files.py is the same
// for the commands in Python.
#pragma once

#include <memory>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>

namespace headstack::output {

/// "NAME: what is wrong: the system's reason; remedy".
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The error for `name`, which could not be made or written for this errno.
OutputError output_error(const std::string& name, int error);

/// A file to write. It is open from its beginning until close(); what is written counts as there
/// behind commit() or close() alone. The destructor closes it without a word: for commands that end
/// with another error.
class OutputFile : public std::ostream {
 public:
  OutputFile() : std::ostream(nullptr) {}
  explicit OutputFile(const std::string& path) : OutputFile() { open(path); }
  ~OutputFile() override;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Makes the file, or empties it. `shown` names it in errors, where that is another path. Throws
  /// OutputError.
  void open(const std::string& path, const std::string& shown = "");
  /// Standard output; close() leaves it open for others.
  void open_standard_output();
  bool is_open() const { return buffer_.descriptor >= 0; }

  /// What was written so far is in the file. Throws OutputError.
  void commit();
  /// The same, and it is over. Nothing to do for a file that is not open. Throws OutputError.
  void close();

 private:
  static constexpr std::size_t kBufferBytes = 1U << 16;

  /// Bytes on their way to a descriptor, and the first error there.
  struct Buffer : std::streambuf {
    Buffer() { setp(room.get(), room.get() + kBufferBytes); }
    int_type overflow(int_type character) override;
    int sync() override;
    bool write_out();

    std::unique_ptr<char[]> room{new char[kBufferBytes]};  // as it comes
    int descriptor = -1;
    int error = 0;
  };
  Buffer buffer_;
  std::string name_;
  bool owned_ = true;  // the descriptor
};

/// Writes a whole file. Throws OutputError.
void write_file(const std::string& path, std::string_view text);

/// On standard output. Throws OutputError.
void print(std::string_view text);
/// All that was written on standard output, by whomever, is there. Throws OutputError.
void finish_standard_output();

/// A file past a limit of the shell (ulimit -f) is an error like any other, not a signal that ends
/// the program. To be called once, at its beginning.
void take_size_limits_as_errors();

}  // namespace headstack::output
