// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/stage.hpp"

#include <algorithm>

#include "tests/fuzz/drive/block_content.hpp"
#include "tests/fuzz/drive/mode_state.hpp"

namespace headstack::fuzz {

Picoseconds longest_awake(const Storyline& storyline) {
  constexpr std::size_t kMakesAt = 5;  // byte of mode page 23h
  const auto makes_map = [](const Bytes& page) {
    constexpr unsigned kPageCode = 0x3F;  // mask without PS, which the drive ignores
    return (page[0] & kPageCode) == 0x23 && page.size() > kMakesAt && page[kMakesAt] != 0;
  };
  const bool any =
      std::any_of(storyline.actions.begin(), storyline.actions.end(), [&](const Action& action) {
        const bool selects =
            !action.cdb.empty() && (action.cdb[0] == 0x15 || action.cdb[0] == 0x55);
        if (!selects) return false;
        const std::vector<Bytes> pages = mode_pages_of(action.list, action.cdb[0] == 0x55);
        return std::any_of(pages.begin(), pages.end(), makes_map);
      });
  return any ? kRestlessWithMaps : kRestlessMax;
}

void prepare_media(const geometry::Geometry& geometry, std::uint32_t block_bytes,
                   media::MediaStore* media) {
  Bytes data(block_bytes);
  for (std::uint32_t lba = 0; lba < geometry.capacity(); ++lba) {
    fill_block(data.data(), block_bytes, lba, 0);
    media->write_formatted(geometry.sector_index(geometry.locate(lba).chs()), data.data());
  }
}

void inject_flaws(const Storyline& storyline, const geometry::Geometry& geometry,
                  media::MediaStore* media) {
  media::FlawSpec spec;
  for (const FlawSetup& flaw : storyline.flaws) {
    if (flaw.lba >= geometry.capacity()) continue;
    const media::SectorIndex index = geometry.sector_index(geometry.locate(flaw.lba).chs());
    spec.listed.push_back({index, flaw.kind, flaw.retries});
  }
  if (!spec.listed.empty()) media->inject(spec);
}

}  // namespace headstack::fuzz
