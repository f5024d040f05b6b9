// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/digest.hpp"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "sim/description/fault.hpp"

namespace headstack::scenario {
namespace {

constexpr std::size_t kPieceBytes = 1U << 16;

class Sha256 {
 public:
  Sha256() { sha256_init(&state_); }

  void add(const char* bytes, std::size_t count) {
    sha256_update(&state_, count, reinterpret_cast<const std::uint8_t*>(bytes));
  }

  std::string digits() {
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
    sha256_digest(&state_, digest.size(), digest.data());
    std::string text;
    for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
    return text;
  }

 private:
  sha256_ctx state_{};
};

}  // namespace

std::string sha256_of_text(const std::string& text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.digits();
}

std::string sha256_of_file(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    throw drive::FileError(fmt::format("{}: is a folder; name a file", file));
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw drive::FileError(fmt::format("{}: cannot be read; check that the file exists", file));
  }
  Sha256 hash;
  std::string piece(kPieceBytes, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    hash.add(piece.data(), static_cast<std::size_t>(in.gcount()));
  }
  return hash.digits();
}

}  // namespace headstack::scenario
