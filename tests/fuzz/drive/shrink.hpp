// SPDX-License-Identifier: Apache-2.0
/// @file
/// Reduces a storyline that shows a finding: fewer and simpler actions, rounder times.
#pragma once

#include <functional>

#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// Whether a storyline still shows the finding.
using StillShows = std::function<bool(const Storyline&)>;

/// A storyline that no single step can reduce without losing the finding, or the best one after
/// `tries` tries. `storyline` must show the finding.
Storyline shrink(Storyline storyline, const StillShows& still_shows, std::size_t tries);

}  // namespace headstack::fuzz
