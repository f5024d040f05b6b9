// SPDX-License-Identifier: Apache-2.0
// The sentences of errors.
#pragma once

#include <string>

#include "sim/description/fault.hpp"

namespace headstack::scenario {

/// The error that `act` throws; "" if it throws none.
template <class Act>
std::string error_of(const Act& act) {
  try {
    act();
  } catch (const drive::FileError& error) {
    return error.what();
  }
  return "";
}

}  // namespace headstack::scenario
