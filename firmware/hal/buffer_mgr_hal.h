// SPDX-License-Identifier: Apache-2.0
/// @file
/// Driver of the buffer manager: ring segments of sectors, and the two channels that work on them.
///
/// A segment belongs to the module that allocated it (firmware/transfer/segments.h). The producing
/// channel adds a credit per whole sector, and the consuming channel takes it. The level is the
/// number of credits.
#ifndef FIRMWARE_HAL_BUFFER_MGR_HAL_H
#define FIRMWARE_HAL_BUFFER_MGR_HAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BUFFER_MGR_SEGMENTS 8U
/// Size of the buffer RAM, whatever part of it the drive's buffer is.
#define BUFFER_MGR_RAM_BYTES (2U << 20)

/// Events, the bits of INTR_STATE.
enum buffer_mgr_event {
  BUFFER_EVENT_HOST_SECTOR = 1U << 0,
  BUFFER_EVENT_DISK_SECTOR = 1U << 1,
};

/// Sector size of all segments.
void buffer_mgr_hal_configure(uint32_t sector_bytes);

/// Enables exactly these events as interrupts.
void buffer_mgr_hal_enable(uint32_t events);

/// Returns the events since the last call and acknowledges them.
uint32_t buffer_mgr_hal_take_events(void);

/// Sets the first byte of a segment in buffer RAM, its length in sectors, and how many sectors it
/// holds already, counted from its first. No channel may use the segment meanwhile.
void buffer_mgr_hal_set_segment(uint32_t segment, uint32_t first_byte, uint32_t sectors,
                                uint32_t filled);

/// The same, with the sectors that it holds counted from sector `first` of the ring on, and around
/// its end.
void buffer_mgr_hal_set_ring(uint32_t segment, uint32_t first_byte, uint32_t sectors,
                             uint32_t first, uint32_t filled);

/// Whole sectors in a segment.
uint32_t buffer_mgr_hal_level(uint32_t segment);

/// Adds `sectors` to the level, as if a channel had produced them: their bytes are in the buffer
/// already. Does nothing if the ring has no room for all of them. No channel may produce into the
/// segment meanwhile.
void buffer_mgr_hal_produce(uint32_t segment, uint32_t sectors);

/// Empties the segment's ring in place: later data follow the discarded data in the ring. No
/// channel may consume from the segment; one may produce into it.
void buffer_mgr_hal_discard(uint32_t segment);

/// Takes the ring's first `sectors` away, as if they had been consumed. The ring has so many. No
/// channel may consume from the segment; one may produce into it.
void buffer_mgr_hal_skip(uint32_t segment, uint32_t sectors);

/// First byte of a segment in buffer RAM.
uint32_t buffer_mgr_hal_first_byte(uint32_t segment);

/// The core's window on buffer RAM: `byte` is a multiple of 4, its byte 0 the word's lowest.
void buffer_mgr_hal_write_word(uint32_t byte, uint32_t word);
uint32_t buffer_mgr_hal_read_word(uint32_t byte);

/// Starts the host channel: towards the host, or from it. A sector that an earlier start left
/// unfinished starts again from its first byte.
void buffer_mgr_hal_start_host(uint32_t segment, bool to_host);
void buffer_mgr_hal_stop_host(void);

/// A `notice` that no sector raises.
#define BUFFER_MGR_NO_NOTICE 0xFFFFU

/// Starts the disk channel: towards the disk, or from it. Of its sectors from here on, number
/// `notice` raises BUFFER_EVENT_DISK_SECTOR. If `notice` is 0, each sector does.
void buffer_mgr_hal_start_disk(uint32_t segment, bool to_disk, uint32_t notice);
void buffer_mgr_hal_stop_disk(void);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_HAL_BUFFER_MGR_HAL_H
