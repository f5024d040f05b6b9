// SPDX-License-Identifier: Apache-2.0
// The sockets for a debugger: one that listens, and one for the connection.
//
// A connection is a caller until its first good packet, or 03h, arrives. Then it is the debugger.
// Before that, only `+` and `-` are permitted. At any time, another byte outside of a packet ends a
// connection. The reason is that a web page can send data to a port of this machine. HTTP is
// excluded by the blank after its method, even for the method `+`, and encrypted data by their
// first byte, 16h. Silent callers, such as browsers that connect in advance, do not block a
// debugger.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/debug/packet.hpp"
#include "host/debug/wire.hpp"

namespace headstack::debug {

/// An error such as "--gdb ADDRESS: problem; remedy".
struct AddressError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws AddressError if GdbSocket could not listen at this address. Leaves no file.
void require_address(const std::string& address);

class GdbSocket {
 public:
  /// Listens at ":PORT" (for this machine alone), "HOST:PORT" or "unix:PATH". Port 0 stands for any
  /// free one. Throws AddressError. Warns on stderr if other machines can reach the address.
  explicit GdbSocket(const std::string& address);

  /// The address for a debugger's "target remote ...", with the port that was found.
  const std::string& name() const { return name_; }

  bool connected() const { return connection_.open(); }
  /// Accepts a waiting debugger. While one is connected, other callers are refused. When the
  /// debugger has left, the next call accepts a new one. Returns true when a new debugger is
  /// connected.
  bool accept();

  /// Reads the available bytes, up to a limit, because a debugger that never pauses must not block
  /// the run. Returns false when the debugger has left: then no debugger is connected.
  bool read();
  /// The next item from the debugger. A foreign byte ends the connection instead.
  std::optional<PacketReader::Item> next();
  void send(const std::string& bytes);
  void hang_up() { connection_.close(); }

  /// Waits for bytes from the debugger, a caller, a signal, the end of `limit`, or until `other` is
  /// readable (-1: no such descriptor). Returns true when `other` is readable.
  bool wait(int other, std::chrono::milliseconds limit);

  /// Closes the listening socket at the run's end, and removes its path.
  void retire();

  // These functions move the sockets from process to process.
  /// All open descriptors, which a snapshot must close.
  std::vector<int> descriptors() const;
  /// The descriptors that move with the run: the listener and the connection, if they are open.
  std::vector<int> handed_on() const;
  /// Takes over the descriptors, in a snapshot that has closed its own.
  void adopt(std::vector<Descriptor> handed_on);

 private:
  enum class Standing { kWaits, kDebugger, kStranger };

  void take_callers();
  bool admit_caller();
  static Standing standing_of(const Descriptor& caller);

  Descriptor listener_;
  Descriptor connection_;
  std::vector<Descriptor> callers_;  // oldest first; their bytes stay in the sockets
  PacketReader reader_;
  std::string name_;
  std::string path_;  // path of a socket in the file system; "": a port
};

}  // namespace headstack::debug
