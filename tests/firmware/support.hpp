// SPDX-License-Identifier: Apache-2.0
// Common code of the firmware's tests: a shipped drive in the forms of the simulator and of the
// firmware.
#pragma once

#include <memory>
#include <string>

#include "firmware/drive_design.h"
#include "firmware/queue/scheduler.h"
#include "sim/drive/firmware_design.hpp"
#include "tests/support.hpp"

namespace headstack::test {

/// The firmware's table of a design. It is on the heap, as it has 80 KiB.
inline std::unique_ptr<::drive_design> firmware_design(const drive::Design& design,
                                                       const std::string& name = "TEST DRIVE") {
  drive::DriveDescription description;
  description.name = name;
  description.design = design;
  auto table = std::make_unique<::drive_design>();
  drive::fill_firmware_design(description, *table);
  table->store_is_new = 1;  // the fakes' media are fresh
  return table;
}

/// Puts a policy in force, with its initial values.
inline enum status select(::scheduler& scheduler, std::uint32_t number) {
  ::policy_selection selection{};
  selection.number = static_cast<std::uint8_t>(number);
  return scheduler_select(&scheduler, &selection);
}

}  // namespace headstack::test
