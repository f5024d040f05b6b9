// SPDX-License-Identifier: Apache-2.0
/// @file
/// RAM of a model: bytes that are zero until they are written. The operating system allocates its
/// pages at first use, and a drive never uses most of them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace headstack {

class ZeroedBytes {
 public:
  explicit ZeroedBytes(std::size_t size)
      : bytes_(static_cast<std::uint8_t*>(std::calloc(size, 1))), size_(size) {
    if (bytes_ == nullptr) throw std::bad_alloc();
  }

  std::uint8_t* data() { return bytes_.get(); }
  const std::uint8_t* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  std::uint8_t* begin() { return data(); }
  std::uint8_t* end() { return data() + size_; }
  const std::uint8_t* begin() const { return data(); }
  const std::uint8_t* end() const { return data() + size_; }
  std::uint8_t& operator[](std::size_t at) { return bytes_[at]; }
  const std::uint8_t& operator[](std::size_t at) const { return bytes_[at]; }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t[], Free> bytes_;
  std::size_t size_;
};

}  // namespace headstack
