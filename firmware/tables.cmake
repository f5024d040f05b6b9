# SPDX-License-Identifier: Apache-2.0
# What the firmware's tables name: policies (queue/policies.def) and commands (device/commands.def); and files that others build, too.
set(HEADSTACK_POLICIES_TABLE ${CMAKE_CURRENT_LIST_DIR}/queue/policies.def)
set(HEADSTACK_COMMANDS_TABLE ${CMAKE_CURRENT_LIST_DIR}/device/commands.def)
# A new row is a new source.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HEADSTACK_POLICIES_TABLE} ${HEADSTACK_COMMANDS_TABLE})

# The names of the policies, in the table's order.
file(STRINGS ${HEADSTACK_POLICIES_TABLE} HEADSTACK_POLICIES REGEX "^POLICY\\(")
list(TRANSFORM HEADSTACK_POLICIES REPLACE "^POLICY\\([0-9]+, ([a-z0-9_]+),.*" "\\1")

# The files that the commands are in: NAME of device/command_NAME.c.
file(STRINGS ${HEADSTACK_COMMANDS_TABLE} HEADSTACK_COMMAND_FILES REGEX "^(DATA_)?COMMAND\\(")
list(TRANSFORM HEADSTACK_COMMAND_FILES REPLACE "^(DATA_)?COMMAND\\([^,]*,[^,]*, ([a-z0-9_]+),.*" "\\2")
list(REMOVE_DUPLICATES HEADSTACK_COMMAND_FILES)

# How blocks are arranged by what was counted of them.
set(HEADSTACK_ARRANGING
  arrange arrange_groups arrange_hot arrange_map arrange_slide arrange_trial arrange_units chance energy energy_sum lead organ sort)
list(TRANSFORM HEADSTACK_ARRANGING REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/remap/\\1.c")
