// SPDX-License-Identifier: Apache-2.0
/// @file
/// Mode parameters: current, changeable, default and saved values of every page this drive has.
///
/// A page's default and changeable bytes are rows of one table. The values that can change are in
/// struct mode_pages, as the bytes that go over the wire. Saved values survive every reset. They
/// outlive power where the drive has a store (firmware/transfer/store.h): they come back when the
/// spindle is at speed. Without a store, saved values are the defaults at power-on. Subpages are in
/// duration_page.h and stream_page.h.
#ifndef FIRMWARE_SCSI_MODE_PAGE_H
#define FIRMWARE_SCSI_MODE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/kernel/status.h"
#include "firmware/kernel/time.h"
#include "firmware/scsi/sense.h"
#include "firmware/scsi/stream_page.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drive;
struct duration_pages;
struct scsi_config;

/// Page codes (SPC-2 8.3, SBC-2 6.3).
enum mode_page_code {
  MODE_PAGE_ERROR_RECOVERY = 0x01,
  MODE_PAGE_DISCONNECT_RECONNECT = 0x02,
  MODE_PAGE_FORMAT_DEVICE = 0x03,
  MODE_PAGE_RIGID_GEOMETRY = 0x04,
  MODE_PAGE_VERIFY_RECOVERY = 0x07,
  MODE_PAGE_CACHING = 0x08,
  MODE_PAGE_CONTROL = 0x0A,
  MODE_PAGE_EXCEPTIONS = 0x1C,
  MODE_PAGE_SCHEDULER = 0x20,     ///< Vendor specific: struct mode_scheduler.
  MODE_PAGE_CONTROLLER = 0x21,    ///< Vendor specific: struct mode_controller.
  MODE_PAGE_WRITE_BUFFER = 0x22,  ///< Vendor specific: struct mode_write_buffer.
  MODE_PAGE_REMAP = 0x23,         ///< Vendor specific: struct mode_remap.
  MODE_PAGE_ALL = 0x3F,
};

/// Subpages (SPC-3 6.9.2): 00h is the page itself, which has none.
#define MODE_SUBPAGE_NONE 0x00U
#define MODE_SUBPAGE_ALL 0xFFU

/// Page control field of MODE SENSE (SPC-2 table 64).
enum mode_page_control {
  MODE_CURRENT = 0,
  MODE_CHANGEABLE = 1,
  MODE_DEFAULT = 2,
  MODE_SAVED = 3,
};

#define MODE_PAGES_BYTES 224U
/// Bytes of single pages, with their two bytes of header.
#define MODE_DISCONNECT_BYTES 16U
#define MODE_CACHING_BYTES 20U
#define MODE_WRITE_BUFFER_BYTES 12U

/// One initiator's pages. All initiators share struct mode_pages. The subpages of the control page
/// (duration_page.h) are the initiator's own. They have no saved values, and their defaults are
/// their values after a reset.
struct mode_view {
  struct mode_pages* shared;
  struct duration_pages* own;
};

/// Most parameters of a policy.
#define MODE_SCHEDULER_PARAMETERS 4U

/// Page 20h, 24 bytes; numbers are big-endian:
///
///     0     page code
///     1     length 16h
///     2     policy
///     3     flags
///     4-5   margin
///     6-7   reserved
///     8-23  four parameters
///
/// The policy defines the parameters' meaning (firmware/queue/policy.h). 0 stands for a parameter's
/// initial value, FFFFFFFFh for the value 0.
enum mode_scheduler_byte {
  MODE_SCHEDULER_AT_POLICY = 2,
  MODE_SCHEDULER_AT_FLAGS = 3,
  MODE_SCHEDULER_AT_MARGIN = 4,
  MODE_SCHEDULER_AT_PARAMETERS = 8,
};

struct mode_scheduler {
  uint8_t policy;      ///< Number of a policy.
  uint8_t flags;       ///< Bit i: the policy's flag i.
  uint16_t margin_us;  ///< Margin of the predictor: a sector that passes sooner than this after the
                       ///< seek counts as missed. 0: the firmware takes no time (predictor.h).
  uint32_t parameter[MODE_SCHEDULER_PARAMETERS];
};

/// Page 08h (SBC-2 6.3.3):
///
///     2      WCE 04h, RCD 01h
///     4-5    disable pre-fetch transfer length
///     8-9    maximum pre-fetch
///     12     DRA 20h
///     13     number of cache segments
///     14-15  segment size, here in blocks
///
/// Nothing is cached at power-on. A segment size that does not fit into the buffer is rounded down
/// to one that does. Page 21h, too, says how the drive reads ahead.
#define MODE_CACHING_SEGMENTS_MAX 16U
#define MODE_CACHING_SEGMENTS_DEFAULT 3U
struct mode_caching {
  bool reads;                  ///< RCD is clear.
  bool writes;                 ///< WCE: a write's status is sent when its data are in the buffer.
  uint32_t segments;           ///< At most MODE_CACHING_SEGMENTS_MAX; 1 or more.
  uint32_t segment_blocks;     ///< Blocks of a segment; 0 in a buffer without room for any.
  uint32_t ahead_blocks;       ///< Most blocks read ahead after a task's last block; 0 with DRA.
  uint32_t ahead_task_blocks;  ///< Length of the longest task after which there is read-ahead.
  uint8_t ahead_bits;          ///< MODE_AHEAD_* of page 21h.
  bool reads_free;             ///< MODE_READS_FREE
};

/// Page 02h (SCSI-2 8.3.3.2; DImm: SPC-4 7.5.10), 16 bytes; numbers are big-endian:
///
///     0      page code
///     1      length 0Eh
///     2      buffer full ratio, in 256ths
///     3      buffer empty ratio, in 256ths
///     4-5    bus inactivity limit, in 100 us
///     6-7    disconnect time limit, in 100 us
///     8-9    connect time limit, in 100 us
///     10-11  maximum burst size, in 512 bytes
///     12     DImm 08h, DTDC 07h: enum mode_dtdc
///     13-15  0: reserved, and the first burst size, which the parallel bus does not have
///
/// Full ratio: this share of a read from the media must be in the buffer before the drive takes the
/// bus for it. FFh is all of it, 0 the first sector. 80h, the value at power-on, counts run by run:
/// half of each. A read that is longer than its part of the buffer counts run by run, too.
///
/// Without a limit, a write's data are accepted as far as there is room. A command may leave the
/// bus for an empty or a full buffer. The empty ratio, and the full one again, say when it comes
/// back. An empty ratio of 0 is half.
///
/// The limits are struct mode_tenancy; firmware/scsi/tenancy.h has what they do.
#define MODE_RATIO_HALF_RUN 0x80U
#define MODE_RATIO_ALL 0xFFU
#define MODE_DISCONNECT_DIMM 0x08U
#define MODE_DISCONNECT_DTDC 0x07U
#define MODE_TENANCY_UNIT_TICKS (100U * TIME_TICKS_PER_MICROSECOND)
#define MODE_BURST_UNIT_BYTES 512U
enum mode_disconnect_byte {
  MODE_DISCONNECT_AT_FULL = 2,
  MODE_DISCONNECT_AT_EMPTY = 3,
  MODE_DISCONNECT_AT_INACTIVITY = 4,
  MODE_DISCONNECT_AT_DISCONNECT = 6,
  MODE_DISCONNECT_AT_CONNECT = 8,
  MODE_DISCONNECT_AT_BURST = 10,
  MODE_DISCONNECT_AT_CONTROL = 12,
};

/// Data transfer disconnect control (SCSI-2 table 99). Other values are reserved.
enum mode_dtdc {
  MODE_DTDC_NONE = 0,
  MODE_DTDC_DATA = 1,     ///< The bus is held from a command's first data to its last data.
  MODE_DTDC_COMMAND = 3,  ///< The bus is held from a command's first data to the command's end.
};

struct mode_disconnect {
  uint8_t full_ratio;
  uint8_t write_ratio;  ///< Share of a write that starts the media, from page 21h.
  bool write_counts;    ///< `write_ratio` is a count of blocks: MODE_CONTROLLER_COUNTS.
  uint8_t empty_ratio;
};

/// Limits of the time and the data for which the drive may keep the bus. A tenancy lasts from a
/// selection or reselection to bus free.
struct mode_tenancy {
  bool any;                   ///< Any limit is not 0.
  bool dimm;                  ///< No data move in the tenancy in which the command comes.
  uint8_t dtdc;               ///< enum mode_dtdc
  uint32_t inactivity_ticks;  ///< Limit of idle time on the bus; 0: no limit, as in the next three.
  uint32_t disconnect_ticks;
  uint32_t connect_ticks;
  uint32_t burst_blocks;
};

/// A ratio's share of so many blocks, 1 or more. It is rounded down, as SPC-2 8.3.7 requires for
/// ratios that a drive does not support.
static inline uint32_t mode_ratio_blocks(uint8_t ratio, uint32_t blocks) {
  if (ratio == MODE_RATIO_ALL) return blocks;
  const uint32_t share = (blocks >> 8) * ratio + (((blocks & 0xFFU) * ratio) >> 8);
  return share > 0 ? share : 1;
}

/// Page 21h, byte 18: byte 19 is a number of blocks, not a share. The media begin with a write when
/// that many of its blocks are in the buffer, or all of a shorter one. From MODE_LONG_WRITE_BLOCKS
/// on the number is half as large again. Source: DiskSim 4.0's disk module has 10, 15 and 45, for
/// drives whose writes leave the bus once more before their data.
#define MODE_CONTROLLER_COUNTS 0x08U
#define MODE_LONG_WRITE_BLOCKS 45U

/// The number of a write's blocks, 1 or more, that must be in the buffer before the media begin
/// with it.
static inline uint32_t mode_write_start_blocks(const struct mode_disconnect* mode,
                                               uint32_t blocks) {
  if (!mode->write_counts) return mode_ratio_blocks(mode->write_ratio, blocks);
  const uint32_t count = mode->write_ratio;
  const uint32_t wanted = blocks < MODE_LONG_WRITE_BLOCKS ? count : count + count / 2;
  return wanted < blocks ? wanted : blocks;
}

/// Page 21h, 36 bytes; numbers are big-endian:
///
///     0      page code
///     1      length 22h
///     2-17   eight times in units of 100 ns before a command's first action
///     18     how the controller read ahead, MODE_AHEAD_*, whether writes are joined, what byte 19
///            is, and for which commands the further times are
///     19     the share of a write that must be in the buffer before the media begin with it
///     20-33  further times like the eight, spent later in a command: enum mode_controller_stage
///     34     MODE_READS_FREE
///     35     0: reserved
///
/// If all times are 0, a command takes no more than the firmware does. The page describes drives
/// whose own controller was slower, and whose times were measured. Byte 19 counts as page 02h does;
/// 0 is the first sector. A write that is longer than its part of the buffer needs no more than
/// that part, full.
#define MODE_CONTROLLER_BYTES 36U
#define MODE_CONTROLLER_TIMES 8U
#define MODE_CONTROLLER_AT_TIMES 2U
#define MODE_CONTROLLER_UNIT_TICKS 4U
#define MODE_CONTROLLER_AT_AHEAD 18U
#define MODE_CONTROLLER_AT_WRITES 19U
#define MODE_CONTROLLER_AT_STAGES 20U
enum mode_controller_stage {
  /// Time before the drive takes the bus for data that the media have read. It does not apply to
  /// hits, nor with MODE_RESELECTS_AHEAD to data that leave by a share.
  MODE_STAGE_READ_DATA,
  MODE_STAGE_READ_STATUS,   ///< Time on the bus after a read's data.
  MODE_STAGE_WRITE_STATUS,  ///< Time before the drive takes the bus for the status of a write.
  /// Time of a far write: it follows a write, does not begin where that one ended, and is not
  /// reported early. With MODE_FAR_IN_SEQUENCE it may begin there. This time replaces its time
  /// among the eight. 0: that time stays, and the next two are not used.
  MODE_STAGE_FAR_WRITE,
  /// Time of a far write before the drive takes the bus for its data, from when the arm may move.
  MODE_STAGE_FAR_WRITE_DATA,
  MODE_STAGE_FAR_WRITE_STATUS,  ///< Time of a far write before its status.
  MODE_STAGE_WRITE_HOLD,        ///< Time from when the arm may move for a write to its first
                                ///< sector.
  MODE_CONTROLLER_STAGES,
};
/// Read-ahead goes to the end of the track of its first block. If the segment's data began on an
/// earlier track, it goes to the end of the next. So a stream gets a track ahead, and a single read
/// no more than the rest of its own track.
#define MODE_AHEAD_ONE_TRACK 0x01U
#define MODE_AHEAD_MISSES \
  0x02U  ///< Read-ahead follows misses alone; a hit that uses it up gets no
         ///< more.
/// Read-ahead may overwrite the blocks of the last read, once its data have left: a read of them is
/// then a miss.
#define MODE_AHEAD_OVER 0x10U
/// The data of a write stay in the buffer when it has ended, until others need the room: a read of
/// them is a hit.
#define MODE_KEEPS_WRITTEN 0x20U
/// Bit of the same byte: reported writes that follow each other go to the media as one.
#define MODE_CONTROLLER_JOINS 0x04U
/// The drive prepares the reselection while the media read the share of a read. It takes the bus at
/// once when the share is there. A read whose share is all of it waits as without this bit.
#define MODE_RESELECTS_AHEAD 0x40U
/// A write that continues the write before it is a far write, too.
#define MODE_FAR_IN_SEQUENCE 0x80U
/// Byte 34. While a read waits for its first block, those before it on the track pass. The drive
/// reads and keeps them.
#define MODE_CONTROLLER_AT_MORE 34U
#define MODE_READS_FREE 0x01U
struct mode_controller {
  bool joins;                             ///< MODE_CONTROLLER_JOINS
  bool takes_time;                        ///< `ticks` or far_write_ticks are not all 0.
  bool far_in_sequence;                   ///< MODE_FAR_IN_SEQUENCE
  uint32_t ticks[MODE_CONTROLLER_TIMES];  ///< Times in the order of controller_row().
  uint32_t far_write_ticks;               ///< MODE_STAGE_FAR_WRITE
  uint32_t write_hold_ticks;              ///< MODE_STAGE_WRITE_HOLD
};

/// The times of the stages on the bus.
struct mode_controller_stages {
  bool any;    ///< Any of `ticks` is not 0, or struct mode_tenancy has limits.
  bool ahead;  ///< MODE_RESELECTS_AHEAD
  uint32_t ticks[MODE_CONTROLLER_STAGES];
};

/// The row of the time for a command: reads first, then commands after a read, then misses. A write
/// that is reported from the buffer is a hit. It has the time after a write on the track where the
/// write before it ended. Elsewhere it has that after a read: the controller has to move the arm.
static inline uint32_t controller_row(bool is_write, bool follows_write, bool is_hit) {
  return (is_write ? 4U : 0U) + (follows_write ? 2U : 0U) + (is_hit ? 1U : 0U);
}

/// Page 22h, 12 bytes; numbers are big-endian:
///
///     0      page code
///     1      length 0Ah
///     2      threshold, enum write_threshold
///     3      frames, for the thresholds space and free, which need 1 or more
///     4-7    writes in 1,000 s, for the threshold time; 0: as measured
///     8-9    thousandths of 1 / lambda, for the threshold time; 0: 1,000
///     10-11  reserved
///
/// Values beyond what the drive has, or beyond the limits of queue/write_buffer.h, are rounded.
enum mode_write_buffer_byte {
  MODE_WRITE_BUFFER_AT_THRESHOLD = 2,
  MODE_WRITE_BUFFER_AT_FRAMES = 3,
  MODE_WRITE_BUFFER_AT_RATE = 4,
  MODE_WRITE_BUFFER_AT_SCALE = 8,
};

struct mode_write_buffer {
  uint8_t threshold;
  uint8_t below;  ///< Number of frames.
  uint16_t scale_milli;
  uint32_t rate_milli;
};

/// Page 23h, 20 bytes; numbers are big-endian:
///
///     0      page code
///     1      length 12h
///     2      flags, enum mode_remap_flag
///     3      map
///     4      share of the media's time, in 256ths
///     5      the map that the drive is to make (bits 0-3), and how (bits 4-7)
///     6-7    idle time in ms
///     8-11   first block
///     12-13  blocks of a unit
///     14-15  blocks of a group
///     16-17  thousands of trials
///     18-19  units that may move
///
/// struct mode_remap says more of each. The drive keeps the page with its map: current and saved
/// values are the same. Byte 5 is 0 again when the map is made.
enum mode_remap_byte {
  MODE_REMAP_AT_FLAGS = 2,
  MODE_REMAP_AT_MAP = 3,
  MODE_REMAP_AT_SHARE = 4,
  MODE_REMAP_AT_MAKES = 5,
  MODE_REMAP_AT_IDLE = 6,
  MODE_REMAP_AT_FIRST = 8,
  MODE_REMAP_AT_UNIT = 12,
  MODE_REMAP_AT_GROUP = 14,
  MODE_REMAP_AT_TRIALS = 16,
  MODE_REMAP_AT_HOTTEST = 18,
};
enum mode_remap_flag {
  MODE_REMAP_LEARNS = 0x01,   ///< The drive counts which blocks are served (remap/learn.h).
  MODE_REMAP_MOVES = 0x02,    ///< The drive moves units to the slots of the map.
  MODE_REMAP_CHOOSES = 0x04,  ///< The drive chooses between maps 1 and 2 (transfer/remap_choice.h).
};

/// How the drive makes a map (remap/arrange.h).
enum mode_remap_method {
  MODE_REMAP_MAKES_NONE,
  MODE_REMAP_ORGAN,       ///< Whole groups as a pipe organ.
  MODE_REMAP_DISTANCE,    ///< Whole groups, annealed by distance.
  MODE_REMAP_SEEK,        ///< Whole groups, annealed by seek times.
  MODE_REMAP_TRANSFER,    ///< Whole groups, annealed by seek and transfer.
  MODE_REMAP_ANGLE,       ///< Single units, annealed by seek, wait and transfer.
  MODE_REMAP_NO_ANGLE,    ///< Single units, annealed by seek and transfer.
  MODE_REMAP_POPULARITY,  ///< Single units in order of popularity.
  MODE_REMAP_METHODS,
};

struct mode_remap {
  uint8_t flags;
  uint8_t map;    ///< The map in force; 0: every block is at home.
  uint8_t share;  ///< Share of the media's time that moves may take under load; 0: only when idle.
  uint16_t idle_ms;
  uint32_t first_block;  ///< First block that may move.
  uint16_t unit_blocks;  ///< Blocks of a unit; 0: the drive has no map.
  uint16_t group_blocks;
  uint8_t into;               ///< The map to be made.
  uint8_t method;             ///< enum mode_remap_method of the map to be made.
  uint16_t trials_thousands;  ///< Thousands of annealing trials; 0: the drive chooses.
  uint16_t hottest;           ///< Number of units that may move; 0: all.
};

/// The page's bytes from 2 on, as the drive keeps them.
#define MODE_REMAP_BYTES 18U
void mode_remap_pack(const struct mode_remap* mode, uint8_t* bytes);
void mode_remap_unpack(const uint8_t* bytes, struct mode_remap* mode);

/// Pages 01h and 07h, byte 2 (SCSI-2 9.3.3.6, 9.3.3.8). RC and EER are 0: the formatter stops at an
/// error, and there is one way to recover. There is no correction code that DCR could disable, so
/// both its values are accepted.
enum mode_recovery_bit {
  MODE_RECOVERY_AWRE = 0x80,
  MODE_RECOVERY_ARRE = 0x40,
  MODE_RECOVERY_TB = 0x20,
  MODE_RECOVERY_PER = 0x04,
  MODE_RECOVERY_DTE = 0x02,
  MODE_RECOVERY_DCR = 0x01,
};

struct mode_pages {
  uint8_t current[MODE_PAGES_BYTES];
  uint8_t saved[MODE_PAGES_BYTES];
  uint8_t defaults[MODE_PAGES_BYTES];
  uint8_t streams[STREAM_PAGE_BYTES];  ///< Current values of subpage 20h/01h.
  uint8_t saved_streams[STREAM_PAGE_BYTES];
  bool selected;        ///< A MODE SELECT has come since power-on.
  bool selected_remap;  ///< A MODE SELECT of page 23h has come since power-on.
};

/// Power-on: sets all three from the tables and the drive's design.
void mode_pages_init(struct mode_pages* modes, const struct scsi_config* config);

/// Reset: sets current values from the saved ones (SCSI-2 9.3.3).
void mode_pages_reset(struct mode_pages* modes);

/// The content of the store: the pages, and the subpage of streams.
#define MODE_PAGES_SAVED_BYTES (MODE_PAGES_BYTES + STREAM_PAGE_BYTES)

/// Writes the current values in the store's format.
void mode_pages_pack(const struct mode_pages* modes, uint8_t* bytes);

/// Makes the packed values the saved ones, except for page 23h, which stays as it is.
void mode_pages_set_saved(struct mode_pages* modes, const uint8_t* packed);

/// Loads saved values from the store at power-on. Values of another length come from another
/// firmware, and are ignored. They become the current ones, too, unless a MODE SELECT came before.
/// @return whether current values changed.
bool mode_pages_load(struct mode_pages* modes, const uint8_t* packed, uint32_t bytes);

// Decoded values for the rest of the drive.
void mode_pages_scheduler(const struct mode_pages* modes, struct mode_scheduler* scheduler);
void mode_pages_caching(const struct mode_pages* modes, struct mode_caching* caching);
void mode_pages_write_buffer(const struct mode_pages* modes, struct mode_write_buffer* buffer);
void mode_pages_remap(const struct mode_pages* modes, struct mode_remap* remap);
/// Sets the current and the saved values of page 23h.
void mode_pages_set_remap(struct mode_pages* modes, const struct mode_remap* remap);
void mode_pages_disconnect(const struct mode_pages* modes, struct mode_disconnect* disconnect);
void mode_pages_tenancy(const struct mode_pages* modes, struct mode_tenancy* tenancy);
void mode_pages_controller(const struct mode_pages* modes, struct mode_controller* controller);
void mode_pages_controller_stages(const struct mode_pages* modes,
                                  struct mode_controller_stages* stages);
void mode_pages_streams(const struct mode_pages* modes,
                        struct policy_stream streams[POLICY_STREAMS]);
/// Byte 2 of page 01h or 07h: which recovery is allowed, and what is reported.
uint8_t mode_recovery(const struct mode_pages* modes, enum mode_page_code page);
uint8_t mode_read_retry_count(const struct mode_pages* modes);
uint8_t mode_write_retry_count(const struct mode_pages* modes);
uint8_t mode_verify_retry_count(const struct mode_pages* modes);
/// Whether SIMPLE tasks may pass each other even where they overlap (control page, queue algorithm
/// modifier 1h).
bool mode_unrestricted_reordering(const struct mode_pages* modes);

/// Control page, QERR (SPC-2 table 157): what a CHECK CONDITION does to other tasks.
enum mode_queue_error {
  MODE_QUEUE_ERROR_CONTINUE = 0,
  MODE_QUEUE_ERROR_ABORT_ALL = 1,
  MODE_QUEUE_ERROR_RESERVED = 2,
  MODE_QUEUE_ERROR_ABORT_INITIATOR = 3,
};
enum mode_queue_error mode_queue_error(const struct mode_pages* modes);

/// Whether the drive has the page and subpage that MODE SENSE requests.
enum mode_page_found {
  MODE_FOUND,
  MODE_NO_PAGE,
  MODE_NO_SUBPAGE,
  MODE_NOT_SAVED,  ///< Saved values of a page that cannot be saved.
};

/// Appends pages to `bytes`, in ascending order, vendor pages too. They are one page or
/// MODE_PAGE_ALL, without subpages, with one, or with MODE_SUBPAGE_ALL. For several, saved values
/// are those of the pages that have any.
/// @param[out] count  Bytes written, at most MODE_PAGES_BYTES + DURATION_PAGES_BYTES +
/// STREAM_PAGE_BYTES.
enum mode_page_found mode_pages_get(const struct mode_view* view, uint8_t page, uint8_t subpage,
                                    enum mode_page_control control, uint8_t* bytes,
                                    uint32_t* count);

/// Checks one or more pages as MODE SELECT sends them: bytes `offset` .. `length` - 1 of the
/// parameter list. Calls core_scheduler_fault() for page 20h. PS is reserved in MODE SELECT. A host
/// that sends a page back as MODE SENSE gave it has it set, so it is cleared in the list.
/// @return SENSE_NONE; 1A/00 when the list ends inside a page; else 26/00 with its field pointer.
struct sense mode_pages_check(const struct mode_view* view, const struct drive* drive,
                              uint8_t* list, uint32_t offset, uint32_t length);

/// Rounds values of pages that mode_pages_check() passed to ones that the drive has, in the list
/// (SCSI-2 7.5.4). @return whether any was rounded: 1/37/00.
bool mode_pages_round(const struct mode_pages* modes, const struct drive* drive, uint8_t* list,
                      uint32_t offset, uint32_t length);

/// Whether the pages, which were checked, say that there is no write cache.
bool mode_pages_turn_cache_off(const uint8_t* list, uint32_t offset, uint32_t length);

/// Stores pages that mode_pages_check() passed. @return true when a current value changed that all
/// initiators share.
bool mode_pages_set(const struct mode_view* view, const uint8_t* list, uint32_t offset,
                    uint32_t length);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_MODE_PAGE_H
