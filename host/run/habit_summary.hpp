// SPDX-License-Identifier: Apache-2.0
// What hosts do besides sending the requests of the trace (host_habits.hpp), for a run's summary.
#pragma once

#include <nlohmann/json.hpp>

#include "host/options/host_habits.hpp"

namespace headstack::run {

/// Adds those habits that differ from the defaults, under "hosts".
void add_habits(const options::HostHabits& habits, nlohmann::ordered_json& json);

/// Whether requests may be sent with other properties than the trace gives them.
bool has_request_options(const options::HostHabits& habits);

}  // namespace headstack::run
