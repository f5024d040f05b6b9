# headstack_translation(PROGRAM): translates a firmware target's ELF file to C++ and compiles that (sim/core/translator.hpp).
function(headstack_translation program)
  get_property(elf TARGET ${program} PROPERTY HEADSTACK_ELF)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${program}_translation)
  file(MAKE_DIRECTORY ${folder})
  set(parts 4)
  set(sources ${folder}/table.cpp)
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    list(APPEND sources ${folder}/units_${part}.cpp)
  endforeach()
  add_custom_command(OUTPUT ${sources} ${folder}/units.hpp
    COMMAND headstack-translate ${elf} ${folder} ${parts}
    DEPENDS headstack-translate ${elf} ${program} VERBATIM)
  add_library(${program}_translation MODULE ${sources})
  set_target_properties(${program}_translation PROPERTIES
    PREFIX "" OUTPUT_NAME ${program}.elf SUFFIX .so LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/firmware
    CXX_VISIBILITY_PRESET hidden)
  target_include_directories(${program}_translation PRIVATE ${CMAKE_SOURCE_DIR})
  # A unit ends with a jump to the next: without it, the stack would grow.
  target_compile_options(${program}_translation PRIVATE -O1 -foptimize-sibling-calls -g0)
endfunction()
