# SPDX-License-Identifier: Apache-2.0
# A unit of a translation ends with a jump to the next: without -foptimize-sibling-calls the stack would grow.
set(HEADSTACK_TRANSLATION_COMPILE ${CMAKE_CXX_COMPILER} -std=gnu++17 -O1 -free -fira-region=mixed -ftree-pre -foptimize-sibling-calls -fPIC
  -fvisibility=hidden -I${CMAKE_SOURCE_DIR})

# headstack_translator_id(FOLDER): FOLDER/sim/core/translator_id.hpp, a hash of all that decides what a translation is.
function(headstack_translator_id folder)
  set(hashes "")
  foreach(source block.cpp block.hpp instruction.cpp instruction.hpp operation.hpp translation.hpp translator.cpp translator.hpp
      ../soc/translate_main.cpp)
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/core/${source})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(SHA256 ${file} hash)
    string(APPEND hashes ${hash})
  endforeach()
  string(SHA256 id "${hashes}")
  string(SUBSTRING ${id} 0 16 HEADSTACK_TRANSLATOR_ID)
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/core/translator_id.hpp.in ${folder}/sim/core/translator_id.hpp @ONLY)
endfunction()

# headstack_translation(PROGRAM): the target PROGRAM_translation makes the library of a firmware target's ELF file, in the
# folder translations beside that file; so does the script PROGRAM.translate there, after a run that did not wait for it.
# PROGRAM.elf.translated says which ELF file has its translation: it is as old.
function(headstack_translation program)
  get_property(elf TARGET ${program} PROPERTY HEADSTACK_ELF)
  cmake_path(REPLACE_EXTENSION elf translate OUTPUT_VARIABLE script)
  list(JOIN HEADSTACK_TRANSLATION_COMPILE "' '" compile)
  file(GENERATE OUTPUT ${script}
    CONTENT "#!/bin/sh\nexec '${CMAKE_CURRENT_SOURCE_DIR}/core/translate.sh' '$<TARGET_FILE:headstack-translate>' '${elf}' '${compile}'\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  add_custom_command(OUTPUT ${elf}.translated
    COMMAND ${script}
    COMMAND ${CMAKE_COMMAND} -E touch ${elf}.translated
    DEPENDS ${program} ${elf} ${script} headstack-translate ${CMAKE_CURRENT_SOURCE_DIR}/core/translate.sh
    ${CMAKE_CURRENT_SOURCE_DIR}/core/translation.hpp ${CMAKE_CURRENT_SOURCE_DIR}/core/operation.hpp
    COMMENT "Translation of ${program}" VERBATIM)
  add_custom_target(${program}_translation ALL DEPENDS ${elf}.translated)
endfunction()
