// SPDX-License-Identifier: Apache-2.0
// The names of a drive's facts in DiskSim's parameter files, and the use of each fact.
//
// Such names may stand beside the facts' own: at the top, in overheads_ms, cache and bus, or in an
// object controller_facts. Each fact is honoured, or a line for people says that it is not.
// Source of names, ranges and meanings: J. Bucy, J. Schindler, S. Schlosser, G. Ganger, "The
// DiskSim Simulation Environment Version 4.0 Reference Manual", CMU-PDL-08-101, 2008.
#pragma once

#include <map>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "sim/drive/facts.hpp"

namespace headstack::drive {

/// The parameters that a file gives by DiskSim's names.
struct DiskSimKeys {
  /// The path in the file, by that of the fact ("cache.read_water_mark": "High (read) water mark")
  /// or by DiskSim's name.
  std::map<std::string, std::string> given_as;
  /// Parameters that do not correspond to a fact, by DiskSim's name.
  std::map<std::string, double> others;
};

/// Moves parameters with DiskSim's names to the places of the facts' own names. Throws Fault for an
/// unknown name, a value that is no number or out of range, and a fact given twice.
DiskSimKeys take_disksim_keys(nlohmann::json& root);

/// Throws Fault for a fact out of the range of its parameter, whichever name it has in the file.
void check_fact_ranges(const DriveFacts& facts, const DiskSimKeys& keys);

/// Removes facts with value 0 of features that the drive lacks. A parameter file has a value for
/// each parameter of each drive.
void drop_absent(DriveFacts& facts, const DiskSimKeys& keys);

/// Lines for the user about facts that the drive does not honour, and its behaviour instead. Each
/// begins with the key as it stands in the file.
std::vector<std::string> tell_unlike(const DriveFacts& facts, const DiskSimKeys& keys);

}  // namespace headstack::drive
