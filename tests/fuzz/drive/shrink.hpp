/// @file
/// Makes a storyline smaller that shows a finding: fewer actions, simpler ones, rounder times.
#pragma once

#include <functional>

#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

/// Whether a storyline still shows the finding.
using StillShows = std::function<bool(const Storyline&)>;

/// A storyline of which nothing more can be taken away by one step without losing the finding, or
/// the best that `tries` questions led to. `storyline` shows it.
Storyline shrink(Storyline storyline, const StillShows& still_shows, std::size_t tries);

}  // namespace headstack::fuzz
