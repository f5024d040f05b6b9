// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/command_handlers.h"
#include "firmware/device/device.h"
#include "firmware/kernel/bytes.h"
#include "firmware/motion/geometry.h"

enum command_result command_test_unit_ready(struct device* device, struct command* command) {
  (void)device;
  (void)command;
  return COMMAND_DONE;
}

/// Returns the sense data of the contingent allegiance that this command ended, else a unit
/// attention, else NO SENSE. For a logical unit that does not exist it returns 5/25/00 (SPC-2
/// 7.20.1). The status is always GOOD.
enum command_result command_request_sense(struct device* device, struct command* command) {
  struct sense sense = command->sense;
  command->sense = sense_plain(SENSE_NONE);
  if (command->lun != 0) {
    sense = sense_plain(SENSE_LUN_NOT_SUPPORTED);
  } else if (sense.code == SENSE_NONE) {
    sense = command->reports =
        sense_plain(nexus_take_attention(&device->nexus[command->initiator]));
    // SCSI-2 9.2.1: the progress of a format.
    if (sense.code == SENSE_NONE && device_is_formatting(device)) {
      sense = command_format_sense(device);
    }
  }
  sense_put_fixed(&sense, command->data);
  return command_reply(command, SENSE_BYTES, command->cdb[4]);
}

/// Header and one entry: logical unit 0 (SPC-2 7.19).
#define REPORT_LUNS_BYTES 16U

enum command_result command_report_luns(struct device* device, struct command* command) {
  (void)device;
  const uint32_t allocation_bytes = bytes_get_be32(command->cdb + 6);
  if (allocation_bytes < REPORT_LUNS_BYTES) return command_fail(command, sense_cdb_field(6));
  bytes_fill(command->data, 0, REPORT_LUNS_BYTES);
  bytes_put_be32(command->data, REPORT_LUNS_BYTES - 8U);
  return command_reply(command, REPORT_LUNS_BYTES, allocation_bytes);
}

/// READ CAPACITY: the partial medium indicator, a bit.
#define CDB_PARTIAL 0x01U

/// The block whose address READ CAPACITY returns: the last one. With PMI it is the last one before
/// a substantial delay (SCSI-2 9.2.7), which is the last one of a cylinder.
/// @param at, bytes  Where the CDB has its logical block address. Without PMI it must be 0.
/// @param[out] last  Written only if the result is SENSE_NONE.
static struct sense find_last(const struct device* device, const uint8_t* cdb, uint32_t at,
                              uint32_t bytes, bool partial, uint32_t* last) {
  const uint32_t block_count = device->unit.config->block_count;
  *last = block_count - 1U;
  for (uint32_t i = at; !partial && i < at + bytes; ++i) {
    if (cdb[i] != 0) return sense_cdb_field(i);
  }
  if (!partial) return sense_plain(SENSE_NONE);
  const uint64_t lba = bytes == 4 ? bytes_get_be32(cdb + at) : bytes_get_be64(cdb + at);
  if (lba > UINT32_MAX) return sense_plain(SENSE_LBA_RANGE);
  if (lba >= block_count) return sense_at_lba(SENSE_LBA_RANGE, (uint32_t)lba);
  *last = geometry_last_of_cylinder(device->parts.design, (uint32_t)lba);
  return sense_plain(SENSE_NONE);
}

/// SBC-2 5.10: last block and block length.
enum command_result command_read_capacity_10(struct device* device, struct command* command) {
  const uint8_t* cdb = command->cdb;
  uint32_t last = 0;
  const struct sense sense = find_last(device, cdb, 2, 4, (cdb[8] & CDB_PARTIAL) != 0, &last);
  if (sense.code != SENSE_NONE) return command_fail(command, sense);
  bytes_put_be32(command->data, last);
  bytes_put_be32(command->data + 4, device->unit.config->block_bytes);
  return command_reply(command, 8, 8);
}

/// SBC-2 5.11, table 35: as above with 8 bytes of address, 12 bytes in all.
#define READ_CAPACITY_16_BYTES 12U

enum command_result command_read_capacity_16(struct device* device, struct command* command) {
  const uint8_t* cdb = command->cdb;
  uint32_t last = 0;
  const struct sense sense = find_last(device, cdb, 2, 8, (cdb[14] & CDB_PARTIAL) != 0, &last);
  if (sense.code != SENSE_NONE) return command_fail(command, sense);
  bytes_put_be64(command->data, last);
  bytes_put_be32(command->data + 8, device->unit.config->block_bytes);
  return command_reply(command, READ_CAPACITY_16_BYTES, bytes_get_be32(cdb + 10));
}

enum command_result command_reserve(struct device* device, struct command* command) {
  device->reserved_by = command->initiator;
  return COMMAND_DONE;
}

/// A release by an initiator without the reservation is no error and changes nothing (SCSI-2
/// 9.2.11).
enum command_result command_release(struct device* device, struct command* command) {
  if (device->reserved_by == command->initiator) device->reserved_by = DEVICE_NOT_RESERVED;
  return COMMAND_DONE;
}

/// Byte 4: PREVENT.
#define CDB_PREVENT 0x01U

/// No initiator can take the medium out, with or without this command: nothing is left to prevent.
/// SCSI-2 9.2.12: only one with PREVENT has a conflict with a reservation. Hosts send it to any
/// disk, and disks of public emulators (QEMU's scsi-disk) accept it on fixed ones.
enum command_result command_prevent_allow(struct device* device, struct command* command) {
  const bool prevents = (command->cdb[4] & CDB_PREVENT) != 0;
  const bool held =
      device->reserved_by != DEVICE_NOT_RESERVED && device->reserved_by != command->initiator;
  return prevents && held ? COMMAND_RESERVED : COMMAND_DONE;
}
