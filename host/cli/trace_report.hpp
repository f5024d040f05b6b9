// SPDX-License-Identifier: Apache-2.0
// The output of `headstack trace info`: as text, and as JSON with the same numbers.
#pragma once

#include <string>

#include "host/cli/drive_report.hpp"
#include "host/traces/trace.hpp"
#include "host/traces/trace_statistics.hpp"

namespace headstack::cli {

/// The data of `trace info`. Units are in the keys.
Json trace_info_json(const traces::TraceReader& reader, const traces::TraceStatistics& statistics);
std::string trace_info_text(const std::string& file, const traces::TraceReader& reader,
                            const traces::TraceStatistics& statistics);

/// trace_info_json(), and data for pictures: rates and places over time, and the distributions of
/// gaps and service times.
Json trace_plot_json(const std::string& file, const traces::TraceReader& reader,
                     const traces::TraceStatistics& statistics);

}  // namespace headstack::cli
