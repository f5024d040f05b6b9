// Where a debugger connects: a listening socket, and the one connection.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

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
  explicit GdbSocket(const std::string& address);

  /// What a debugger must say to get here: "target remote ..." without the first two words.
  const std::string& name() const { return name_; }

  bool connected() const { return connection_.open(); }
  /// Takes a debugger that waits to be let in; one that comes when another is there is turned away.
  /// True when a new one is there.
  bool accept();

  /// Reads what has come. False when the debugger is gone: then nobody is connected any more.
  bool read();
  std::optional<PacketReader::Item> next() { return reader_.next(); }
  void send(const std::string& bytes);
  void hang_up() { connection_.close(); }

  /// Waits until something comes from the debugger, or a new one, or `other` becomes readable (it
  /// may be -1), or a signal, or `limit` is over. True when `other` is readable.
  bool wait(int other, std::chrono::milliseconds limit);

  // From process to process. The snapshot has closed those that it was taken with.
  int listener() const { return listener_.get(); }
  int connection() const { return connection_.get(); }
  void adopt(Descriptor listener, Descriptor connection);

 private:
  Descriptor listener_;
  Descriptor connection_;
  PacketReader reader_;
  std::string name_;
};

}  // namespace headstack::debug
