// SPDX-License-Identifier: Apache-2.0
// Explains sense data by an option of hosts or specimen. Sense data without an explanation show a
// fault of the drive, or of this module's table.
#pragma once

#include <cstdint>
#include <string>

#include "host/replay/replay_options.hpp"
#include "host/report/sense.hpp"
#include "sim/description/description.hpp"

namespace headstack::replay {

class SenseCauses {
 public:
  /// With `acts_in_trace`, the trace's requests may have aborts and resets. With `has_past`, the
  /// media come from an earlier run, which a power cut may have ended.
  SenseCauses(const ReplayOptions& options, const drive::Specimen& specimen, bool acts_in_trace,
              bool has_past);

  /// The cause, such as "the specimen's flaws"; "" if nothing explains such sense data.
  std::string of(const report::Sense& sense) const;

 private:
  std::uint32_t causes_ = 0;  // a bit for each possible cause
};

}  // namespace headstack::replay
