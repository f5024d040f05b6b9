// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/command_handlers.h"
#include "firmware/device/device.h"
#include "firmware/kernel/bytes.h"

/// Peripheral qualifier 3, device type 1Fh: no unit can be there (SPC-2 7.3.2).
#define PERIPHERAL_DISK 0x00U
#define PERIPHERAL_NONE 0x7FU

/// Standard data up to the last version descriptor (SPC-2 table 46), and up to the product's
/// revision. SCSI-2 has only reserved bytes after that (SCSI-2 table 45).
#define STANDARD_BYTES 74U
#define STANDARD_SCSI_2_BYTES 36U
#define RESPONSE_FORMAT 0x02U
/// Byte 7: WBUS16 20h, SYNC 10h, CMDQUE 02h.
#define FEATURES 0x32U

/// SAM-2, SPC-5, SBC-2, no version claimed (SPC-5 table of version descriptors). Hosts look for
/// duration limits from SPC-5 on. Of SBC-4 the drive has only those.
static const uint16_t version_descriptors[] = {0x0040, 0x05C0, 0x0320};

#define PAGE_SUPPORTED 0x00U
#define PAGE_SERIAL 0x80U
#define PAGE_IDENTIFICATION 0x83U
#define PAGE_MODE_PAGE_POLICY 0x87U
#define PAGE_HEADER_BYTES 4U
#define SERIAL_BYTES sizeof(((struct unit_config*)0)->serial)
#define VENDOR_BYTES sizeof(((struct unit_config*)0)->vendor)

static void put_text(uint8_t* bytes, const char* text, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) bytes[i] = (uint8_t)text[i];
}

/// What the drive's description claims. No command depends on it.
static uint32_t put_standard(const struct unit_config* config, uint8_t* bytes) {
  const bool is_scsi_2 = config->scsi_version == UNIT_VERSION_2;
  const uint32_t count = is_scsi_2 ? STANDARD_SCSI_2_BYTES : STANDARD_BYTES;
  bytes_fill(bytes, 0, count);
  bytes[2] = config->scsi_version;
  bytes[3] = RESPONSE_FORMAT;
  bytes[4] = (uint8_t)(count - 5U);
  bytes[7] = FEATURES;
  put_text(bytes + 8, config->vendor, VENDOR_BYTES);
  put_text(bytes + 16, config->product, sizeof(config->product));
  put_text(bytes + 32, config->revision, sizeof(config->revision));
  if (is_scsi_2) return count;
  for (uint32_t i = 0; i < sizeof(version_descriptors) / sizeof(version_descriptors[0]); ++i) {
    bytes_put_be16(bytes + 58 + 2 * i, version_descriptors[i]);
  }
  return count;
}

/// Vital product data: each function writes what follows the header, and returns its length (SPC-2
/// 8.4).
typedef uint32_t page_writer(const struct unit_config* config, uint8_t* bytes);

static uint32_t put_supported(const struct unit_config* config, uint8_t* bytes);

static uint32_t put_serial(const struct unit_config* config, uint8_t* bytes) {
  put_text(bytes, config->serial, SERIAL_BYTES);
  return SERIAL_BYTES;
}

/// One descriptor: ASCII (code set 2), T10 vendor identification (type 1), of the logical unit.
static uint32_t put_identification(const struct unit_config* config, uint8_t* bytes) {
  const uint32_t identifier_bytes = VENDOR_BYTES + SERIAL_BYTES;
  bytes[0] = 0x02;
  bytes[1] = 0x01;
  bytes[2] = 0;
  bytes[3] = (uint8_t)identifier_bytes;
  put_text(bytes + 4, config->vendor, VENDOR_BYTES);
  put_text(bytes + 4 + VENDOR_BYTES, config->serial, SERIAL_BYTES);
  return 4U + identifier_bytes;
}

/// SPC-3 7.6.6: each descriptor has a page, a subpage, and how it is shared. Each initiator has its
/// own subpages of duration limits. All share the rest.
#define POLICY_SHARED 0x00U
#define POLICY_PER_NEXUS 0x03U

static uint32_t put_mode_page_policy(const struct unit_config* config, uint8_t* bytes) {
  (void)config;
  uint32_t count = 0;
  for (uint32_t number = 0; number < DURATION_PAGE_COUNT; ++number, count += 4) {
    bytes[count] = DURATION_PAGE_CODE;
    bytes[count + 1] = duration_page_subpage(number);
    bytes[count + 2] = POLICY_PER_NEXUS;
    bytes[count + 3] = 0;
  }
  bytes[count] = MODE_PAGE_ALL;
  bytes[count + 1] = MODE_SUBPAGE_ALL;
  bytes[count + 2] = POLICY_SHARED;
  bytes[count + 3] = 0;
  return count + 4;
}

/// Ascending, as page 00h lists them.
static const struct page_row {
  uint8_t code;
  page_writer* put;
} page_table[] = {
    {PAGE_SUPPORTED, put_supported},
    {PAGE_SERIAL, put_serial},
    {PAGE_IDENTIFICATION, put_identification},
    {PAGE_MODE_PAGE_POLICY, put_mode_page_policy},
};
#define PAGE_COUNT (sizeof(page_table) / sizeof(page_table[0]))

static uint32_t put_supported(const struct unit_config* config, uint8_t* bytes) {
  (void)config;
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) bytes[i] = page_table[i].code;
  return PAGE_COUNT;
}

/// @return bytes written, or 0 when there is no such page.
static uint32_t put_page(const struct unit_config* config, uint8_t code, uint8_t* bytes) {
  for (uint32_t i = 0; i < PAGE_COUNT; ++i) {
    if (page_table[i].code != code) continue;
    const uint32_t count = page_table[i].put(config, bytes + PAGE_HEADER_BYTES);
    bytes[0] = PERIPHERAL_DISK;
    bytes[1] = code;
    bytes[2] = 0;
    bytes[3] = (uint8_t)count;
    return PAGE_HEADER_BYTES + count;
  }
  return 0;
}

enum command_result command_inquiry(struct device* device, struct command* command) {
  const uint8_t* cdb = command->cdb;
  const bool vital = (cdb[1] & 0x01U) != 0;
  uint32_t count;
  if (vital) {
    count = put_page(device->unit.config, cdb[2], command->data);
    if (count == 0) return command_fail(command, sense_cdb_field(2));
  } else {
    if (cdb[2] != 0) return command_fail(command, sense_cdb_field(2));
    count = put_standard(device->unit.config, command->data);
  }
  if (command->lun != 0) command->data[0] = PERIPHERAL_NONE;
  return command_reply(command, count, bytes_get_be16(cdb + 3));
}
