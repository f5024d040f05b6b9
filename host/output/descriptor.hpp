// An open file, which closes with its owner.
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
  /// Forgets a file that is closed already, or somebody else's.
  void release() { number_ = -1; }

 private:
  int number_ = -1;
};

}  // namespace headstack::output
