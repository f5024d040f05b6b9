// SPDX-License-Identifier: Apache-2.0
/// @file
/// The firmware's knowledge of the drive it is in: the design, as one constant table.
///
/// The simulator makes it from a drive description's [design] (sim/drive/firmware_design.hpp) and
/// puts it into firmware RAM before reset; a native build fills the struct directly. It has no
/// pointers and only 32-bit words, and its image is those words, low byte first. On the drive's
/// core image and struct are the same bytes.
///
/// Parts of variable length are in `pool`, and are named by the index of their first word:
///   - seek times, one word per distance 0 .. cylinders - 1, in 1/512 tick;
///   - seek floors, one word per distance in bands 0 .. bands - 1: the shortest time of a seek to a
///     band at this distance or farther;
///   - extents of every zone in turn, two words each (first block, position). Where many extents of
///     one length are at equal distances, each stretch of them is a row of
///     DRIVE_DESIGN_REGULAR_WORDS instead;
///   - slipped positions, ascending, of zones whose slips push the skew;
///   - spares that hold no block, DRIVE_DESIGN_SPARE_WORDS for each group of like runs;
///   - the maker's defects, two words for each run (first position, count), ascending.
/// The words position, extent, slip, spare and the skew formula are those of the layout's
/// definition, sim/geometry/extents.hpp and geometry.hpp.
///
/// Units: a tick is a period of the SoC clock, 25 ns. An angle of 2^32 (turn32) or 2^24 (turn24) is
/// one revolution. 1/512 tick is 48.8 ps, so that rounding stays below a turn32 of any spindle.
/// 2^32 of them are 209 ms, more than any seek.
#ifndef FIRMWARE_DRIVE_DESIGN_H
#define FIRMWARE_DRIVE_DESIGN_H

#include <stddef.h>
#include <stdint.h>

#include "firmware/kernel/assert.h"
#include "firmware/kernel/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// "HSD8", low byte first. Change the number with every change of the layout.
#define DRIVE_DESIGN_MAGIC 0x38445348U

/// Where the simulator puts the image: the top of firmware RAM. Program, state and
/// stack end below this address.
#define DRIVE_DESIGN_ADDRESS 0x003C4000U
#define DRIVE_DESIGN_END 0x00400000U

/// Limits. The generator refuses a drive that does not fit, naming the limit.
/// 56,576 words hold 56,000 cylinders in 219 bands, and 178 extents or defects: 221 KiB of the
/// RAM's 4,096. A drive of 16,384 cylinders has room for some 20,000 of these. 128 zones take 11
/// KiB more.
#define DRIVE_DESIGN_ZONES_MAX 128U
#define DRIVE_DESIGN_POOL_WORDS 56576U
#define DRIVE_DESIGN_CYLINDERS_MAX 65535U
#define DRIVE_DESIGN_BANDS_MAX 256U
#define DRIVE_DESIGN_NAME_BYTES 16U

/// Words of a group of equal runs of free spares: first position, positions of a run, positions
/// from a run to the next, runs.
#define DRIVE_DESIGN_SPARE_WORDS 4U

/// Words of a row of extents: first block, position. A row of equal extents also has the blocks of
/// each and its reciprocal, and the positions from one to the next and their reciprocal.
#define DRIVE_DESIGN_EXTENT_WORDS 2U
#define DRIVE_DESIGN_REGULAR_WORDS 6U

/// Versions of INQUIRY data (SCSI-2 table 47, SPC-5).
#define DRIVE_DESIGN_SCSI_2 2U
#define DRIVE_DESIGN_SPC_5 7U

#define DRIVE_DESIGN_TICK_NS 25U
/// Seek times count parts of a tick.
#define DRIVE_DESIGN_TICK_PARTS 512U

enum drive_design_mapping {
  DRIVE_DESIGN_MAPPING_PLAIN = 0,                ///< Heads ascend.
  DRIVE_DESIGN_MAPPING_SERPENTINE = 1,           ///< They descend on odd cylinders of the zone.
  DRIVE_DESIGN_MAPPING_SERPENTINE_ABSOLUTE = 2,  ///< They descend on odd cylinders of the drive.
};

/// One zone. `*_reciprocal` is floor((2^32 - 1) / n): a division is a multiplication
/// (arithmetic.h).
struct drive_design_zone {
  uint32_t first_cylinder;
  uint32_t last_cylinder;
  uint32_t sectors_per_track;
  uint32_t sectors_reciprocal;
  uint32_t turn_per_mark_high;  ///< ceil(2^64 / sectors_per_track), high word; 0 for one sector.
  uint32_t turn_per_mark_low;
  uint32_t mark_offset;          ///< Mark at which the zone's first sector starts.
  uint32_t cylinder_skew_marks;  ///< Skew between the first tracks of neighbouring cylinders.
  uint32_t track_skew_marks;     ///< Skew between neighbouring tracks of a cylinder.
  uint32_t first_lba;
  uint32_t first_extent;      ///< Pool index of the first row of extents.
  uint32_t extent_words;      ///< Words of a row: DRIVE_DESIGN_EXTENT_WORDS or _REGULAR_WORDS.
  uint32_t extent_count;      ///< Number of rows; 0: the zone holds no block.
  uint32_t slip_unit_tracks;  ///< Slips before the track's unit push the skew; 0: none do.
  uint32_t first_slip;        ///< Pool index of the first slip.
  uint32_t slip_count;
  uint32_t spares;             ///< Spares per unit of sparing, as described; for mode pages only.
  uint32_t extents_ascend;     ///< 1: the positions of extents ascend, too; 0: a remap has mixed
                               ///< them.
  uint32_t first_spare;        ///< Pool index of the first group of spares.
  uint32_t spare_group_count;  ///< Number of groups of spares, sorted by their first positions.
  uint32_t first_defect;       ///< Pool index of the first run of defects.
  uint32_t defect_run_count;
};

struct drive_design {
  uint32_t magic;
  uint32_t pool_words;                       ///< Words in use; the image ends after them.
  uint8_t product[DRIVE_DESIGN_NAME_BYTES];  ///< Drive name, ASCII, blanks to the end.

  uint32_t capacity_blocks;
  uint32_t sector_bytes;
  uint32_t cylinders;
  uint32_t heads;
  uint32_t heads_reciprocal;
  uint32_t mapping;  ///< enum drive_design_mapping
  uint32_t rpm;      ///< Nearest whole number, for mode pages.
  uint32_t buffer_bytes;

  uint32_t turn32_per_tick_high;  ///< Published speed: 32 bits and 32 bits of fraction.
  uint32_t turn32_per_tick_low;
  uint32_t mean_latency;  ///< 1: every wait is half a revolution, whatever the angle.

  uint32_t seek_table;         ///< Pool index of the seek times.
  uint32_t mean_seek_part;     ///< Mean seek time between two cylinders drawn at random, in 1/512
                               ///< tick.
  uint32_t band_shift;         ///< A band is 2^band_shift neighbouring cylinders.
  uint32_t seek_floor_table;   ///< Pool index of the seek floors.
  uint32_t head_switch_part;   ///< 1/512 tick; overlaps a seek.
  uint32_t write_settle_part;  ///< 1/512 tick, added before a write after a movement.
  uint32_t write_offset_part;  ///< 1/512 tick: the least movement between a read and a write. 0:
                               ///< they need none.
  uint32_t spin_up_ms;

  uint32_t preamble_bytes;    ///< Sector format, for the formatter.
  uint32_t raw_sector_bytes;  ///< Data and everything around it.
  uint32_t bus_width_bits;    ///< Limits of the drive's bus interface.
  uint32_t bus_period_ns;
  uint32_t bus_offset;

  uint32_t store_sector;   ///< First sector of the drive's own area (transfer/store.h).
  uint32_t store_sectors;  ///< Number of sectors of the area; 0: there is no room for it.
  uint32_t store_is_new;   ///< The area was never written since the media left the maker.

  uint32_t defect_descriptors;  ///< The maker's defects (motion/defect_data.h), in all zones.

  uint32_t scsi_version;  ///< The standard that INQUIRY claims: DRIVE_DESIGN_SCSI_2 or _SPC_5.

  uint32_t zone_count;
  struct drive_design_zone zones[DRIVE_DESIGN_ZONES_MAX];
  uint32_t pool[DRIVE_DESIGN_POOL_WORDS];
};

STATIC_ASSERT(sizeof(struct drive_design_zone) == 22 * 4, "words only, no padding");
STATIC_ASSERT(offsetof(struct drive_design, pool) == (36 + 22 * DRIVE_DESIGN_ZONES_MAX) * 4,
              "words only, no padding");
STATIC_ASSERT(DRIVE_DESIGN_ADDRESS + sizeof(struct drive_design) <= DRIVE_DESIGN_END,
              "the table ends inside the RAM");

/// Whether a table is one this firmware can use: layout number, counts inside their limits.
/// @return STATUS_OK, or STATUS_BAD_VALUE.
MUST_USE enum status drive_design_check(const struct drive_design* design);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DRIVE_DESIGN_H
