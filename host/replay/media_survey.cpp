// SPDX-License-Identifier: Apache-2.0
#include "host/replay/media_survey.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/media/check_code.hpp"

namespace headstack::replay {
namespace {

// Blocks in a virtual cylinder (docs/remapping.md), by which a disk without a map is examined.
constexpr std::uint64_t kVirtualCylinder = 160;

}  // namespace

struct MediaSurvey::Sector {
  bool is_whole = true;
  bool is_blank = true;  // zeros, as after a format
  std::vector<std::uint8_t> data;
};

MediaSurvey::MediaSurvey(const drive::DriveDescription& description,
                         const geometry::Geometry& geometry, const media::MediaSnapshot& media,
                         DataCheck& check)
    : geometry_(geometry),
      media_(media),
      check_(check),
      kept_(read_kept_area(description.design, media_)),
      may_tear_(description.specimen.power_loss == drive::PowerLoss::kTorn),
      touched_(check.media().ranges()),
      code_(media::default_check_code(media_.geometry().check_bytes)) {}

std::uint64_t MediaSurvey::index_of(std::uint64_t lba) const {
  std::uint64_t block = lba;
  const std::uint64_t units = kept_.location.size();
  if (lba >= kept_.first_block && lba < kept_.first_block + units * kept_.unit_blocks) {
    const std::uint64_t within = (lba - kept_.first_block) % kept_.unit_blocks;
    const std::uint64_t slot = kept_.location[(lba - kept_.first_block) / kept_.unit_blocks];
    if (slot >= units) return kept_.scratch_sector + (slot - units) * kept_.unit_blocks + within;
    block = kept_.first_block + slot * kept_.unit_blocks + within;
  }
  const auto moved = kept_.moved.find(block);
  if (moved != kept_.moved.end()) return moved->second;
  return geometry_.sector_index(geometry_.locate(block).chs());
}

MediaSurvey::Sector MediaSurvey::sector_of(std::uint64_t lba) const {
  const std::uint64_t index = index_of(lba);
  Sector sector;
  if (!media_.is_written(index)) return sector;
  const media::MediaGeometry& geometry = media_.geometry();
  std::vector<std::uint8_t> check(geometry.check_bytes);
  std::vector<std::uint8_t> wanted(geometry.check_bytes);
  sector.data.resize(geometry.sector_bytes);
  media_.peek(index, sector.data.data(), check.data());
  if (code_) code_(sector.data.data(), sector.data.size(), wanted.data());
  sector.is_whole = check == wanted;
  sector.is_blank = sector.is_whole && std::all_of(sector.data.begin(), sector.data.end(),
                                                   [](std::uint8_t byte) { return byte == 0; });
  return sector;
}

std::set<std::uint64_t> MediaSurvey::flawed_blocks() const {
  std::set<std::uint64_t> sectors;
  for (const media::Flaw& flaw : media_.flaws()) sectors.insert(flaw.index);
  std::set<std::uint64_t> blocks;
  if (sectors.empty()) return blocks;
  for (const MediaLedger::Range& range : touched_) {
    for (std::uint64_t lba = range.lba; lba < range.end; ++lba) {
      if (sectors.count(index_of(lba)) != 0) blocks.insert(lba);
    }
  }
  return blocks;
}

bool MediaSurvey::is_touched(std::uint64_t lba) const {
  const auto behind = std::upper_bound(
      touched_.begin(), touched_.end(), lba,
      [](std::uint64_t at, const MediaLedger::Range& one) { return at < one.lba; });
  return behind != touched_.begin() && lba < std::prev(behind)->end;
}

bool MediaSurvey::is_blank() const {
  return std::all_of(touched_.begin(), touched_.end(), [this](const MediaLedger::Range& range) {
    for (std::uint64_t lba = range.lba; lba < range.end; ++lba) {
      if (!sector_of(lba).is_blank) return false;
    }
    return true;
  });
}

void MediaSurvey::look_at(std::uint64_t lba) {
  ++blocks_;
  const bool touched = is_touched(lba);
  const Sector sector = sector_of(lba);
  const auto find = [&](const std::string& what) {
    if (findings_.size() < kMost)
      findings_.push_back(fmt::format("on the media block {} {}", lba, what));
  };
  if (!touched) {
    if (!sector.is_whole) return find("is torn, and no host has touched it");
    if (!sector.is_blank) find("is not as the drive came, and no host has touched it");
    return;
  }
  if (!sector.is_whole) {
    if (!may_tear_ || !check_.media().is_uncertain(lba)) find("is torn");
    return;
  }
  const auto version = sector.is_blank ? std::optional<MediaLedger::Version>(0)
                                       : check_.blocks().version_in(sector.data.data(), lba);
  if (!version) return find("has bytes that no command wrote there");
  const std::vector<MediaLedger::Version> allowed = check_.media().allowed(lba);
  if (std::find(allowed.begin(), allowed.end(), *version) == allowed.end()) {
    find("has " + check_.writer_of(*version) + ", which is not the one to be there");
  }
}

/// Examines each block of the stretches once, even if these overlap.
void MediaSurvey::look_at_stretches(std::vector<MediaLedger::Range> stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const auto& a, const auto& b) { return a.lba < b.lba; });
  std::uint64_t next = 0;
  for (const MediaLedger::Range& stretch : stretches) {
    const std::uint64_t end = std::min<std::uint64_t>(stretch.end, geometry_.capacity());
    for (next = std::max(next, stretch.lba); next < end; ++next) look_at(next);
  }
}

std::vector<std::string> MediaSurvey::look(bool whole) {
  findings_ = kept_.faults;
  if (kept_.is_formatting || !findings_.empty()) return findings_;
  std::vector<MediaLedger::Range> stretches;
  if (whole) {
    stretches.push_back({0, geometry_.capacity()});
  } else {
    const std::uint64_t length = kept_.location.empty() ? kVirtualCylinder : kept_.unit_blocks;
    const std::uint64_t offset = kept_.location.empty() ? 0 : kept_.first_block % length;
    const auto down = [&](std::uint64_t lba) {
      return lba < offset ? 0 : lba - (lba - offset) % length;
    };
    for (const MediaLedger::Range& range : touched_) {
      stretches.push_back({down(range.lba), down(range.end - 1) + length});
    }
    for (std::uint64_t unit = 0; unit < kept_.location.size(); ++unit) {
      const std::uint64_t lba = kept_.first_block + unit * kept_.unit_blocks;
      if (kept_.location[unit] != unit) stretches.push_back({lba, lba + kept_.unit_blocks});
    }
  }
  look_at_stretches(std::move(stretches));
  return findings_;
}

}  // namespace headstack::replay
