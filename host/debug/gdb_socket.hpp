// SPDX-License-Identifier: Apache-2.0
// The sockets for a debugger: one that listens, and the one connection.
//
// A connection is a caller until its first good packet, or 03h, has come. Then it is the debugger.
// Before it only `+` and `-` may come. Any other byte outside of a packet ends a connection, before
// that and after it. A web page can send data to a port of this machine. But a blank follows an
// HTTP method, even the method `+`. (Encrypted data begin with 16h.) Silent callers, such
// as browsers that connect in advance, do not keep a debugger out.
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

  /// Reads the available bytes, up to a limit: a debugger that never pauses must not hold up the
  /// run. False when the debugger has left: then no debugger is connected.
  bool read();
  /// The next item of the debugger. A foreign byte ends the connection instead.
  std::optional<PacketReader::Item> next();
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
  enum class Standing { kWaits, kDebugger, kStranger };

  void take_callers();
  bool admit_caller();
  static Standing standing_of(const Descriptor& caller);

  Descriptor listener_;
  Descriptor connection_;
  std::vector<Descriptor> callers_;  // the oldest first; their bytes stay in the sockets
  PacketReader reader_;
  std::string name_;
  std::string path_;  // of a socket in the file system; "": a port
};

}  // namespace headstack::debug
