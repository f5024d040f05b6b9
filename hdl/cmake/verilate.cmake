# SPDX-License-Identifier: Apache-2.0
# headstack_verilate(NAME TOP MODULE SOURCES FILE... [ARGS ARG...] [CLASS CLASS]): the static library NAME
# from SystemVerilog, with the C++ class CLASS, VNAME if not given, which is what our own code wraps, and hdl_ports.hpp for its
# ports.
#
# Verilator's many files become two translation units, so that CMake knows their names beforehand and ccache serves them:
# what runs every cycle, at -O2, and what runs once, at -O1. Verilator's runtime is compiled once for all models.
# (Busy SoC, million cycles per second: -Os 2.4, -O3 4.7, -O2 5.7, -O3 with a profile 6.1, which is not worth a profile.)

set(HEADSTACK_COLLECT ${CMAKE_CURRENT_LIST_DIR}/collect.cmake)

# Generated and foreign code: not for our warnings, and not for the sanitizers, which would make it ten times slower to
# look for faults that are not ours.
function(headstack_foreign_code target)
  target_compile_options(${target} PRIVATE -w $<$<BOOL:${HEADSTACK_SANITIZE}>:-fno-sanitize=all>
    $<$<BOOL:${HEADSTACK_COVERAGE}>:-fno-profile-arcs\;-fno-test-coverage>)
  target_include_directories(${target} SYSTEM PUBLIC
    $<BUILD_INTERFACE:${VERILATOR_ROOT}/include> $<BUILD_INTERFACE:${VERILATOR_ROOT}/include/vltstd>)
endfunction()

find_package(ZLIB REQUIRED)
add_library(headstack_verilated STATIC
  ${VERILATOR_ROOT}/include/verilated.cpp ${VERILATOR_ROOT}/include/verilated_cov.cpp
  ${VERILATOR_ROOT}/include/verilated_dpi.cpp
  ${VERILATOR_ROOT}/include/verilated_fst_c.cpp ${VERILATOR_ROOT}/include/verilated_threads.cpp
  ${CMAKE_SOURCE_DIR}/sim/soc/fst_stdio.cpp)
# Its own word for what it cannot write is none.
set(FST_STDIO ${CMAKE_SOURCE_DIR}/sim/soc/fst_stdio.hpp)
set_source_files_properties(${VERILATOR_ROOT}/include/verilated_fst_c.cpp PROPERTIES
  COMPILE_OPTIONS "-DHEADSTACK_WAVE_LIBRARY;-include;${FST_STDIO}" OBJECT_DEPENDS ${FST_STDIO})
target_include_directories(headstack_verilated PRIVATE ${CMAKE_SOURCE_DIR})
headstack_foreign_code(headstack_verilated)
target_compile_options(headstack_verilated PRIVATE -O2)
target_link_libraries(headstack_verilated PUBLIC ZLIB::ZLIB)

function(headstack_verilate name)
  cmake_parse_arguments(arg "" "TOP;CLASS" "SOURCES;ARGS" ${ARGN})
  if(NOT arg_CLASS)
    set(arg_CLASS V${name})
  endif()
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set(fast ${dir}/${arg_CLASS}_fast_part.cpp)
  set(slow ${dir}/${arg_CLASS}_slow_part.cpp)
  set(headers ${dir}/${arg_CLASS}.h ${dir}/${arg_CLASS}___024root.h)
  add_custom_command(
    OUTPUT ${fast} ${slow} ${headers}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}
    COMMAND ${VERILATOR} --cc --prefix ${arg_CLASS} --top-module ${arg_TOP} --Mdir ${dir} -O3
            --x-assign fast --x-initial fast ${arg_ARGS} ${arg_SOURCES}
    COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DFAST=${fast} -DSLOW=${slow} -P ${HEADSTACK_COLLECT}
    DEPENDS ${arg_SOURCES} ${HEADSTACK_COLLECT}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Verilating ${name}"
    VERBATIM)
  add_library(${name} STATIC ${fast} ${slow} ${headers})
  headstack_foreign_code(${name})
  set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS "-O2")
  set_source_files_properties(${slow} PROPERTIES COMPILE_OPTIONS "-O1")
  target_include_directories(${name} SYSTEM PUBLIC $<BUILD_INTERFACE:${dir}> $<BUILD_INTERFACE:${HEADSTACK_REGISTER_INCLUDE}>)
  add_dependencies(${name} headstack_ports)
  target_link_libraries(${name} PUBLIC headstack_verilated)
endfunction()
