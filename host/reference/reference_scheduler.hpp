// SPDX-License-Identifier: Apache-2.0
// Reference schedulers, with which policies are compared. Their searches take more time than a
// drive's core has, so they exist only on the platform `native`.
//
// The firmware calls one in place of its policy (struct policy), with the drive's own predictor. It
// so sees what a policy sees: requests that have arrived, not future ones. It expects accesses
// without rotational knowledge: margin, seek, half a turn, transfer. After an access the arm is on
// the access's first cylinder.
#pragma once

#include <string>
#include <vector>

#include "firmware/queue/policy.h"

namespace headstack::reference_scheduler {

/// The policy for the firmware; nullptr if there is none of that name.
const ::policy* find(const std::string& name);

/// All names, in the order of help texts.
std::vector<std::string> names();

}  // namespace headstack::reference_scheduler
