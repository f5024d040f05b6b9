// SPDX-License-Identifier: Apache-2.0
// Reads records of a binary trace, and describes their places for error messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/traces/format_reader.hpp"
#include "host/traces/input_buffer.hpp"

namespace headstack::traces {

enum class Endian { kLittle, kBig };

/// An unsigned number of `bytes` bytes (at most 8) at offset `at` of a record, which must be long
/// enough.
inline std::uint64_t load(std::string_view record, std::size_t at, std::size_t bytes,
                          Endian endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::size_t place = endian == Endian::kBig ? i : bytes - 1 - i;
    value = value << 8 | static_cast<unsigned char>(record[at + place]);
  }
  return value;
}

/// A reader of consecutive records. A record is counted when it begins.
class BinaryReader : public FormatReader {
 public:
  BinaryReader(InputBuffer& in, std::string file) : in_(in), file_(std::move(file)) {}
  std::uint64_t line() const override { return record_; }
  std::string describe(std::string_view field, std::string_view problem,
                       std::string_view remedy) const override;

 protected:
  /// Returns the first `bytes` of the next record without consuming them; "" at the end. Throws
  /// BadRecord if the file ends within them; it then has no further records.
  std::string_view begin_record(std::size_t bytes);
  /// Returns `bytes` from the record's beginning, and consumes them. Its limit is
  /// InputBuffer::kMostPeekBytes.
  std::string_view take_record(std::size_t bytes);
  /// Ends the reading with an error, because later records cannot be located.
  [[noreturn]] void fail_for_good(std::string_view field, std::string_view problem,
                                  std::string_view remedy) const {
    throw TraceError(describe(field, problem, remedy));
  }

  InputBuffer& in_;

 private:
  [[noreturn]] void fail_truncated();

  std::string file_;
  std::uint64_t record_ = 0;
  std::uint64_t start_ = 0;  // offset of the record in the file
};

}  // namespace headstack::traces
