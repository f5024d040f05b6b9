// SPDX-License-Identifier: Apache-2.0
// The vendor's mode page 21h, for tests of what it says.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/unit/mode_page.h"

namespace headstack::test {

/// A page without times and bits.
inline std::vector<std::uint8_t> controller_page() {
  std::vector<std::uint8_t> page(MODE_CONTROLLER_BYTES);
  page[0] = MODE_PAGE_CONTROLLER;
  page[1] = MODE_CONTROLLER_BYTES - 2;
  return page;
}

}  // namespace headstack::test
