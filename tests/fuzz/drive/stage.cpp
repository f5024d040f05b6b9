// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/stage.hpp"

#include "tests/fuzz/drive/block_content.hpp"

namespace headstack::fuzz {

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
