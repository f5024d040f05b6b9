// Reference schedulers: what a drive cannot be, and policies are measured against. They search
// longer than a drive's core has time for, and exist on the platform `native` alone.
//
// The firmware asks one in its policy's place (struct policy), with the drive's own predictor. So it
// sees what a policy sees: requests that have arrived, never those to come. Accesses are expected as
// a scheduler without rotational knowledge does: margin, seek, half a turn, transfer; behind it the
// arm is on the access's first cylinder.
#pragma once

#include <string>
#include <vector>

#include "firmware/queue/policy.h"

namespace headstack::reference_scheduler {

/// As the firmware calls it; nullptr: there is none of that name.
const ::policy* find(const std::string& name);

/// All, in the order in which they are told.
std::vector<std::string> names();

}  // namespace headstack::reference_scheduler
