// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/recorded_registers.hpp"

extern "C" {
#include "firmware/hal/mmio.h"
}

std::uint32_t hal_read32(std::uint32_t address) {
  headstack::test::registers().reads.push_back(address);
  auto& answers = headstack::test::registers().answers[address];
  if (answers.empty()) return 0;
  const std::uint32_t answer = answers.front();
  if (answers.size() > 1) answers.pop_front();
  return answer;
}

void hal_write32(std::uint32_t address, std::uint32_t value) {
  headstack::test::registers().writes.emplace_back(address, value);
}
