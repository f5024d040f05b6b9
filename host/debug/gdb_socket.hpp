// Where a debugger connects: a listening socket, and the one connection.
//
// Who connects is a caller until its first byte has come, and a debugger if that is one with which
// GDB can begin: `+`, `-`, `$` or 03h. Anything else is hung up on, unread: a web page may send
// what it likes to a port of this machine, but what it sends begins with the name of an HTTP method
// (or, encrypted, with 16h). Callers that say nothing, as browsers do that connect ahead of need,
// keep nobody out.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/debug/packet.hpp"
#include "host/debug/wire.hpp"

namespace headstack::debug {

/// "--gdb ADDRESS: what is wrong; what to do".
struct AddressError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class GdbSocket {
 public:
  /// Listens at ":PORT" (of this machine alone), "HOST:PORT" or "unix:PATH". Throws AddressError.
  /// Warns on stderr of a host that other machines reach.
  explicit GdbSocket(const std::string& address);

  /// What a debugger must say to get here: "target remote ..." without the first two words.
  const std::string& name() const { return name_; }

  bool connected() const { return connection_.open(); }
  /// Takes a debugger that waits to be let in; who comes when one is there is turned away. True
  /// when a new one is there.
  bool accept();

  /// Reads what has come. False when the debugger is gone: then nobody is connected any more.
  bool read();
  std::optional<PacketReader::Item> next() { return reader_.next(); }
  void send(const std::string& bytes);
  void hang_up() { connection_.close(); }

  /// Waits until something comes from the debugger, or a caller, or `other` becomes readable (it
  /// may be -1), or a signal, or `limit` is over. True when `other` is readable.
  bool wait(int other, std::chrono::milliseconds limit);

  /// Nobody can connect any more; a path is removed. At the run's end.
  void retire();

  // From process to process.
  /// All that are open: a snapshot must close them.
  std::vector<int> descriptors() const;
  /// Those that go with the run: the listener and the connection, if they are there.
  std::vector<int> handed_on() const;
  /// They arrive, in a snapshot that has closed its own.
  void adopt(std::vector<Descriptor> handed_on);

 private:
  void take_callers();
  bool admit_caller();

  Descriptor listener_;
  Descriptor connection_;
  std::vector<Descriptor> callers_;  // that have said nothing yet, the oldest first
  PacketReader reader_;
  std::string name_;
  std::string path_;  // of a socket in the file system; "": at a port
};

}  // namespace headstack::debug
