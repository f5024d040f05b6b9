// SPDX-License-Identifier: Apache-2.0
// The drive's own data on its media, read without the drive.
//
// This is a second reader of the formats in firmware/transfer/store.h, defect_log.h and
// remap_area.h. It shares no code with the firmware. After a power cut at any byte this must hold:
//
// - A cell of the store whose two copies were both written has a good one. The sequences of two
//   good copies differ by 1 at most, and equal sequences mean equal content.
// - Once both copies of the map's base were begun, one of them is whole. Its records follow each
//   other without a gap, and two copies of one are equal.
// - No two units lie in one slot.
//
// A cell or a record of which only one copy has the newest content is open. A cut leaves at most
// one open, and so does an interrupted command.
//
// Stored maps are not judged: a drive that loses one stops moving units, and loses no block.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/media/media_store.hpp"

namespace headstack::replay {

struct KeptArea {
  bool is_formatting = false;                    // a FORMAT UNIT has begun, and has not ended
                                                 // successfully
  std::map<std::uint64_t, std::uint64_t> moved;  // grown defects: physical block to its sector
  std::uint64_t first_block = 0;                 // first block of unit 0
  std::uint64_t unit_blocks = 0;
  std::vector<std::uint32_t> location;  // slot of each unit; scratch slots are numbered last
  std::uint64_t scratch_sector = 0;     // first sector of scratch slot 0
  std::uint32_t open_cells = 0;
  std::uint32_t open_records = 0;
  std::vector<std::string> faults;  // violated conditions, one sentence each
};

KeptArea read_kept_area(const drive::Design& design, const media::MediaStore& media);

}  // namespace headstack::replay
