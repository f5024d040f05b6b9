// SPDX-License-Identifier: Apache-2.0
// An open file descriptor, which this object owns and closes.
#pragma once

#include <unistd.h>

#include <utility>

namespace headstack::output {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number_; }
  bool open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  /// Gives up the descriptor without closing it: it is closed already, or has another owner.
  void release() { number_ = -1; }

 private:
  int number_ = -1;
};

}  // namespace headstack::output
