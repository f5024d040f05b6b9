# SPDX-License-Identifier: Apache-2.0
# headstack_firmware(NAME SOURCES FILE... [WHOLE FILE...] [INCLUDES DIR...] [OPTIONS OPTION...] [LINK_OPTIONS OPTION...] [REPORT TABLE [REPORT_TABLES FILE...]]): NAME.elf in the current
# build folder, for the drive's core, linked by firmware/start/soc.ld after firmware/start/start.S. The target is NAME;
# the property HEADSTACK_ELF of it is the file. The linker's map stands beside it (NAME.map), the size is printed. With REPORT the
# target NAME_report makes NAME.report.txt, and the stack must fit (firmware/tools/report.py, which says what TABLE holds, and the files that it names).
# The sources WHOLE are optimised as one, if HEADSTACK_FIRMWARE_LTO is on, into NAME.dir/whole.o; functions of the same
# body stay two there, as the compiler's record has them. In one part: in the second of two a debugger finds no function
# that was inlined.
set(HEADSTACK_START_DIR ${CMAKE_SOURCE_DIR}/firmware/start)
find_program(RISCV_OBJDUMP riscv64-unknown-elf-objdump REQUIRED)

function(headstack_firmware name)
  cmake_parse_arguments(arg "" "REPORT" "SOURCES;WHOLE;INCLUDES;OPTIONS;LINK_OPTIONS;REPORT_TABLES" ${ARGN})
  # No C library: what a compiler itself may call (memcpy and its kind) the firmware brings along.
  set(flags -march=rv32imc_zicsr -mabi=ilp32 -mcmodel=medlow -ffreestanding -std=c11 -O2 -g
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion $<$<BOOL:${HEADSTACK_WERROR}>:-Werror>
    -ffunction-sections -fdata-sections -fno-common -fcallgraph-info=su)
  list(TRANSFORM arg_INCLUDES PREPEND -I)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir)
  set(objects "")
  set(whole_objects "")
  set(number 0)
  foreach(source IN LISTS arg_SOURCES arg_WHOLE ITEMS ${HEADSTACK_START_DIR}/start.S)
    set(list objects)
    set(lto "")
    if(HEADSTACK_FIRMWARE_LTO AND source IN_LIST arg_WHOLE)
      set(list whole_objects)
      set(lto -flto -fno-ipa-icf)
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET source STEM stem)
    set(object ${folder}/${number}_${stem}.o)
    math(EXPR number "${number} + 1")
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${RISCV_GCC} ${flags} ${lto} ${arg_OPTIONS} -I${CMAKE_SOURCE_DIR} -I${HEADSTACK_REGISTER_INCLUDE} -isystem ${HEADSTACK_START_DIR}/freestanding ${arg_INCLUDES}
              -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} headstack_registers
      DEPFILE ${object}.d
      COMMENT "Firmware ${name}: ${stem}"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND ${list} ${object})
  endforeach()
  if(whole_objects)
    set(object ${folder}/whole.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${RISCV_GCC} ${flags} ${arg_OPTIONS} -flto -fno-ipa-icf -flto-partition=one -flinker-output=nolto-rel -r -nostdlib ${whole_objects} -o ${object}
      # The compiler's record of calls and frames, where that of an object is.
      COMMAND ${CMAKE_COMMAND} -E rename ${object}.ltrans0.ltrans.ci ${folder}/whole.ci
      DEPENDS ${whole_objects}
      COMMENT "Firmware ${name}: optimised as a whole"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects ${object})
  endif()
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  add_custom_command(
    OUTPUT ${elf}
    BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/${name}.map
    # The library that fits is found by the architecture without its system instructions.
    COMMAND ${RISCV_GCC} -march=rv32imc -mabi=ilp32 -nostdlib -static -Wl,--gc-sections -Wl,--fatal-warnings
            -Wl,-Map=${CMAKE_CURRENT_BINARY_DIR}/${name}.map -T ${HEADSTACK_START_DIR}/soc.ld ${arg_LINK_OPTIONS} ${objects} -lgcc -o ${elf}
    COMMAND ${RISCV_SIZE} ${elf}
    DEPENDS ${objects} ${HEADSTACK_START_DIR}/soc.ld
    COMMENT "Firmware ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${elf})
  set_target_properties(${name} PROPERTIES HEADSTACK_ELF ${elf})
  if(NOT arg_REPORT)
    return()
  endif()
  # A target of its own: who only runs the program does not wait for it. A build of everything does, and fails with it.
  cmake_path(ABSOLUTE_PATH arg_REPORT BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set(tools ${CMAKE_SOURCE_DIR}/firmware/tools)
  set(report ${CMAKE_CURRENT_BINARY_DIR}/${name}.report.txt)
  add_custom_command(
    OUTPUT ${report}
    COMMAND ${HEADSTACK_PYTHON} -B ${tools}/report.py --elf ${elf} --table ${arg_REPORT} --objdump ${RISCV_OBJDUMP}
            --out ${report} --objects ${objects}
    DEPENDS ${name} ${elf} ${objects} ${arg_REPORT} ${arg_REPORT_TABLES} ${tools}/report.py ${tools}/call_graph.py ${tools}/elf.py
    COMMENT "Firmware ${name}: report"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name}_report ALL DEPENDS ${report})
endfunction()
