// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as a storyline; a finding ends the program, with the storyline in words.
// Given a file of bytes, it prints their storyline before it plays it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests/fuzz/drive/generate.hpp"
#include "tests/fuzz/drive/player.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

bool prints_storylines = false;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  prints_storylines = std::any_of(*argv + 1, *argv + *argc, [](const char* argument) {
    return argument[0] != '-' && std::filesystem::is_regular_file(argument);
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headstack::fuzz;
  const Storyline storyline = generate(data, size);
  if (prints_storylines && size > 0) {
    std::printf("%s", to_text(storyline).c_str());
    std::fflush(stdout);
  }
  const Played played = play(storyline);
  if (!played.finding) return 0;
  const Finding& finding = *played.finding;
  std::fprintf(stderr, "%s\nFINDING %s\n  what      %s\n  expected  %s\n",
               to_text(storyline).c_str(), finding.kind.c_str(), finding.what.c_str(),
               finding.expected.c_str());
  std::abort();
}

/// Takes out, doubles or moves whole actions, or changes bytes of one: what follows stays.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using headstack::fuzz::kActionBytes;
  using headstack::fuzz::kSetupBytes;
  const std::size_t actions = size > kSetupBytes ? (size - kSetupBytes) / kActionBytes : 0;
  if (actions == 0 || seed % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  std::uint8_t* const one = data + kSetupBytes + (seed / 64 % actions) * kActionBytes;
  const std::size_t behind = static_cast<std::size_t>(data + size - one);
  switch (seed / 8 % 8) {
    case 0:
      std::memmove(one, one + kActionBytes, behind - kActionBytes);
      return size - kActionBytes;
    case 1:
      if (size + kActionBytes > most) return size;
      std::memmove(one + kActionBytes, one, behind);
      return size + kActionBytes;
    case 2: {
      std::uint8_t* const other = data + kSetupBytes + (seed / 4096 % actions) * kActionBytes;
      for (std::size_t i = 0; i < kActionBytes; ++i) std::swap(one[i], other[i]);
      return size;
    }
    default: LLVMFuzzerMutate(one, kActionBytes, kActionBytes); return size;
  }
}
