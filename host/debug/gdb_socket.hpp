// SPDX-License-Identifier: Apache-2.0
// The sockets for a debugger: one that listens, and the one connection.
//
// A connection is a caller until its first byte has come. It is a debugger if GDB can begin with
// that byte: `+`, `-`, `$` or 03h. Any other connection is closed unread. A web page can send data
// to a port of this machine, but its data begins with an HTTP method (or, encrypted, with 16h).
// Silent callers, such as browsers that connect in advance, do not keep a debugger out.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/debug/packet.hpp"
#include "host/debug/wire.hpp"

namespace headstack::debug {

/// "--gdb ADDRESS: problem; remedy".
struct AddressError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws AddressError if GdbSocket could not listen there now. Leaves nothing.
void require_address(const std::string& address);

class GdbSocket {
 public:
  /// Listens at ":PORT" (of this machine alone), "HOST:PORT" or "unix:PATH"; port 0 stands for any
  /// that is free. Throws AddressError. Warns on stderr if other machines can reach the address.
  explicit GdbSocket(const std::string& address);

  /// The address for a debugger: "target remote ..." without the first two words. It has the port
  /// that was found.
  const std::string& name() const { return name_; }

  bool connected() const { return connection_.open(); }
  /// Accepts a waiting debugger. While one is connected, other callers are refused. A debugger that
  /// has left is not: then none is connected, and the next call accepts a new one. True when a new
  /// debugger is connected.
  bool accept();

  /// Reads the available bytes. False when the debugger has left: then no debugger is connected.
  bool read();
  std::optional<PacketReader::Item> next() { return reader_.next(); }
  void send(const std::string& bytes);
  void hang_up() { connection_.close(); }

  /// Waits for bytes of the debugger, a caller, a signal, the end of `limit`, or until `other` is
  /// readable (-1: no such descriptor). True when `other` is readable.
  bool wait(int other, std::chrono::milliseconds limit);

  /// At the run's end: closes the listening socket, and removes its path.
  void retire();

  // Moves from process to process.
  /// All open descriptors: a snapshot must close them.
  std::vector<int> descriptors() const;
  /// The descriptors that move with the run: the listener and the connection, if they are open.
  std::vector<int> handed_on() const;
  /// Takes them over, in a snapshot that has closed its own.
  void adopt(std::vector<Descriptor> handed_on);

 private:
  void take_callers();
  bool admit_caller();

  Descriptor listener_;
  Descriptor connection_;
  std::vector<Descriptor> callers_;  // silent so far, the oldest first
  PacketReader reader_;
  std::string name_;
  std::string path_;  // of a socket in the file system; "": a port
};

}  // namespace headstack::debug
