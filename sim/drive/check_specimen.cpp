// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/check_specimen.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "sim/description/fault.hpp"
#include "sim/drive/drive_media.hpp"
#include "sim/drive/schema.hpp"
#include "sim/geometry/geometry.hpp"

namespace headstack::drive {
namespace {

std::string key_of(const char* list, std::size_t index) {
  return fmt::format("specimen.{}[{}]", list, index);
}

/// Refuses a key that only another kind has.
void refuse(bool given, const std::string& key, const char* name, std::string_view kind,
            const char* whose) {
  if (!given) return;
  throw Fault(key + "." + name, fmt::format("a {} fault has none", kind),
              fmt::format("drop it, or make it {}", whose));
}

// ------------------------------------------------------------------------------------------ flaws

void check_defect(const Flaw& flaw, const geometry::Geometry& geometry, const std::string& key) {
  if (flaw.lba >= geometry.capacity()) {
    throw Fault(key + ".lba", fmt::format("the drive has {} blocks", geometry.capacity()),
                "give a block of the drive");
  }
  const geometry::Chs at = geometry.locate(flaw.lba).chs();
  const std::uint32_t on_track = geometry.zones()[*geometry.zone_of(at.cylinder)].sectors_per_track;
  if (flaw.sectors > on_track) {
    throw Fault(key + ".sectors",
                fmt::format("{} sectors, but the track of block {} has {}", flaw.sectors, flaw.lba,
                            on_track),
                fmt::format("give {} at most", on_track));
  }
  const std::uint32_t left = geometry.cylinder_count() - at.cylinder;
  if (flaw.cylinders > left) {
    throw Fault(key + ".cylinders",
                fmt::format("{} cylinders, but from block {} on there are {}", flaw.cylinders,
                            flaw.lba, left),
                fmt::format("give {} at most", left));
  }
  const bool is_wide = flaw.sectors > 1 || flaw.cylinders > 1;
  if (is_wide && flaw.kind == media::FlawKind::kMisplacedWrite) {
    throw Fault(key + ".kind", "a misplaced write is one sector's",
                "leave out sectors and cylinders, or choose another kind");
  }
}

/// Checks each flaw by itself, and that no sector has two.
void check_flaws(const Specimen& specimen, const geometry::Geometry& geometry) {
  std::map<media::SectorIndex, std::size_t> owner;
  for (std::size_t i = 0; i < specimen.flaws.size(); ++i) {
    const std::string key = key_of("flaws", i);
    check_defect(specimen.flaws[i], geometry, key);
    Specimen alone;
    alone.flaws = {specimen.flaws[i]};
    for (const media::Flaw& flaw : media::flaw_spec_of(alone, geometry).listed) {
      const std::string error = media::find_flaw_error(flaw, geometry.sector_count());
      if (!error.empty()) throw Fault(key, error, "correct its keys");
      const auto [other, is_first] = owner.emplace(flaw.index, i);
      if (is_first) continue;
      if (specimen.flaws[other->second].lba == specimen.flaws[i].lba) {
        throw Fault(key + ".lba", fmt::format("block {} is listed twice", specimen.flaws[i].lba),
                    "drop one");
      }
      throw Fault(
          key,
          fmt::format("covers sector {}, as {} does", flaw.index, key_of("flaws", other->second)),
          "make one of them smaller");
    }
  }
  const media::FlawSpec spec = media::flaw_spec_of(specimen, geometry);
  const std::string error = media::find_flaw_spec_error(spec, geometry.sector_count());
  if (!error.empty()) throw Fault("specimen", error, "correct the counts, retries or flaws");
}

// -------------------------------------------------------------------------------------------- arm

void check_arm_fault(const ArmFault& fault, const Design& design, const std::string& key) {
  const std::string_view kind = name_of(kArmFaultKinds, fault.kind);
  const std::uint32_t last = design.cylinders - 1;
  if (fault.first_cylinder > last) {
    throw Fault(key + ".first_cylinder",
                fmt::format("{}, but the drive's last is {}", fault.first_cylinder, last),
                fmt::format("give {} at most", last));
  }
  if (fault.last_cylinder && *fault.last_cylinder > last) {
    throw Fault(key + ".last_cylinder",
                fmt::format("{}, but the drive's last is {}", *fault.last_cylinder, last),
                fmt::format("give {} at most", last));
  }
  if (fault.last_cylinder && *fault.last_cylinder < fault.first_cylinder) {
    throw Fault(key + ".last_cylinder",
                fmt::format("{} lies before first_cylinder, {}", *fault.last_cylinder,
                            fault.first_cylinder),
                "swap or correct them");
  }
  const bool has_duration =
      fault.kind == ArmFaultKind::kSettle || fault.kind == ArmFaultKind::kOffTrack;
  refuse(fault.for_ms && !has_duration, key, "for_ms", kind, "settle or off_track");
  refuse(fault.after_ms && fault.kind != ArmFaultKind::kOffTrack, key, "after_ms", kind,
         "off_track");
  refuse(fault.by_cylinders != 0 && fault.kind != ArmFaultKind::kWrongCylinder, key, "by_cylinders",
         kind, "wrong_cylinder");
  if (fault.kind == ArmFaultKind::kOffTrack && !fault.after_ms) {
    throw Fault(key + ".after_ms", "an off_track fault needs one",
                "give the time after read ready at which the heads leave the track");
  }
  if (fault.kind == ArmFaultKind::kWrongCylinder && fault.by_cylinders == 0) {
    throw Fault(key + ".by_cylinders", "a wrong_cylinder fault needs one other than 0",
                "give the place where the arm lands, from the target: -1, 3");
  }
}

// ---------------------------------------------------------------------------------------- spindle

void check_spindle_fault(const SpindleFault& fault, const std::string& key) {
  const std::string_view kind = name_of(kSpindleFaultKinds, fault.kind);
  const bool is_dropout = fault.kind == SpindleFaultKind::kDropout;
  refuse(fault.at_ms && !is_dropout, key, "at_ms", kind, "dropout");
  refuse(fault.for_ms && !is_dropout, key, "for_ms", kind, "dropout");
  refuse(fault.first_start != 1 && is_dropout, key, "first_start", kind, "no_start");
  refuse(fault.starts != 0 && is_dropout, key, "starts", kind, "no_start");
  refuse(fault.speed_share != 0 && is_dropout, key, "speed_share", kind, "no_start");
  if (is_dropout && !fault.at_ms) {
    throw Fault(key + ".at_ms", "a dropout needs one", "give the time since power-on");
  }
}

/// Checks that no dropout begins during another.
void check_dropouts_apart(const std::vector<SpindleFault>& faults) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    for (std::size_t j = 0; j < faults.size(); ++j) {
      if (i == j || !faults[i].at_ms || !faults[j].at_ms) continue;
      const bool is_within = *faults[j].at_ms >= *faults[i].at_ms &&
                             *faults[j].at_ms <= *faults[i].at_ms + faults[i].for_ms.value_or(0);
      if (!is_within) continue;
      throw Fault(key_of("spindle_faults", j) + ".at_ms",
                  fmt::format("{} ms lies within the dropout of {}", *faults[j].at_ms,
                              key_of("spindle_faults", i)),
                  "move one of them");
    }
  }
}

}  // namespace

void check_specimen(const DriveDescription& description) {
  const Specimen& specimen = description.specimen;
  check_flaws(specimen, geometry::Geometry(description.design));
  for (std::size_t i = 0; i < specimen.arm_faults.size(); ++i) {
    check_arm_fault(specimen.arm_faults[i], description.design, key_of("arm_faults", i));
  }
  for (std::size_t i = 0; i < specimen.spindle_faults.size(); ++i) {
    check_spindle_fault(specimen.spindle_faults[i], key_of("spindle_faults", i));
  }
  check_dropouts_apart(specimen.spindle_faults);
}

}  // namespace headstack::drive
