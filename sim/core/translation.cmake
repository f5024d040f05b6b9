# SPDX-License-Identifier: Apache-2.0
# A unit of a translation ends with a jump to the next: without -foptimize-sibling-calls the stack would grow.
set(HEADSTACK_TRANSLATION_COMPILE ${CMAKE_CXX_COMPILER} -std=gnu++17 -O1 -free -fira-region=mixed -ftree-pre -foptimize-sibling-calls -fPIC
  -fvisibility=hidden -I${CMAKE_SOURCE_DIR})

# headstack_translation(PROGRAM): the target PROGRAM_translation makes PROGRAM.elf.so beside a firmware target's ELF file;
# so does the script PROGRAM.translate there, after a run that did not wait for it.
function(headstack_translation program)
  get_property(elf TARGET ${program} PROPERTY HEADSTACK_ELF)
  cmake_path(REPLACE_EXTENSION elf translate OUTPUT_VARIABLE script)
  list(JOIN HEADSTACK_TRANSLATION_COMPILE "' '" compile)
  file(GENERATE OUTPUT ${script}
    CONTENT "#!/bin/sh\nexec '${CMAKE_CURRENT_SOURCE_DIR}/core/translate.sh' '$<TARGET_FILE:headstack-translate>' '${elf}' '${compile}'\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  add_custom_command(OUTPUT ${elf}.so
    COMMAND ${script}
    COMMAND ${CMAKE_COMMAND} -E touch ${elf}.so
    DEPENDS ${program} ${elf} ${script} headstack-translate ${CMAKE_CURRENT_SOURCE_DIR}/core/translate.sh
    ${CMAKE_CURRENT_SOURCE_DIR}/core/translation.hpp ${CMAKE_CURRENT_SOURCE_DIR}/core/operation.hpp
    COMMENT "Translation of ${program}" VERBATIM)
  add_custom_target(${program}_translation ALL DEPENDS ${elf}.so)
endfunction()
