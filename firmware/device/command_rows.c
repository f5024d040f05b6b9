// SPDX-License-Identifier: Apache-2.0
#include "firmware/device/command_rows.h"

const struct command_row command_rows[COMMAND_ROW_COUNT] = {
#define COMMAND(name, code, file, flags, handler, ...) {code, flags, {__VA_ARGS__}},
#define DATA_COMMAND(name, code, file, flags, handler, data_handler, ...) \
  {code, flags, {__VA_ARGS__}},
#include "firmware/device/commands.def"
#undef DATA_COMMAND
#undef COMMAND
};

uint32_t command_cdb_bytes(uint8_t opcode) {
  static const uint8_t bytes_of_group[8] = {6, 10, 10, 6, 16, 12, 6, 6};
  return bytes_of_group[opcode >> 5];
}
