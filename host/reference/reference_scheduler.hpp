// SPDX-License-Identifier: Apache-2.0
// Reference schedulers, with which policies are compared. Their searches take more time than a
// drive's core has, so they exist only on the platform `native`.
//
// The firmware calls one in place of its policy (struct policy), with the drive's own predictor. So
// it has what a policy has: requests that have arrived, not future ones. It estimates accesses
// without rotational knowledge: margin, seek, half a turn, transfer. After an access the arm is on
// the access's first cylinder.
#pragma once

#include <string>
#include <vector>

#include "firmware/queue/policy.h"

namespace headstack::reference_scheduler {

/// The scheduler as a policy of the firmware; nullptr if none has this name.
const ::policy* find(const std::string& name);

/// All names, in the order in which help texts list them.
std::vector<std::string> names();

}  // namespace headstack::reference_scheduler
