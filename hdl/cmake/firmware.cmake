# headstack_firmware(NAME SOURCES FILE... [INCLUDES DIR...] [OPTIONS OPTION...] [LINK_OPTIONS OPTION...]): NAME.elf in the current build folder, for
# the drive's core, linked by firmware/start/soc.ld behind firmware/start/start.S. The target is NAME; the property
# HEADSTACK_ELF of it is the file. The linker's map stands beside it (NAME.map), the size is printed.
set(HEADSTACK_START_DIR ${CMAKE_SOURCE_DIR}/firmware/start)

function(headstack_firmware name)
  cmake_parse_arguments(arg "" "" "SOURCES;INCLUDES;OPTIONS;LINK_OPTIONS" ${ARGN})
  # No C library: what a compiler itself may call (memcpy and its kind) the firmware brings along.
  set(flags -march=rv32imc_zicsr -mabi=ilp32 -mcmodel=medlow -ffreestanding -std=c11 -O2 -g
    -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion $<$<BOOL:${HEADSTACK_WERROR}>:-Werror>
    -ffunction-sections -fdata-sections -fno-common)
  list(TRANSFORM arg_INCLUDES PREPEND -I)
  set(objects "")
  set(number 0)
  foreach(source IN LISTS arg_SOURCES ITEMS ${HEADSTACK_START_DIR}/start.S)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET source STEM stem)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/${number}_${stem}.o)
    math(EXPR number "${number} + 1")
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir
      COMMAND ${RISCV_GCC} ${flags} ${arg_OPTIONS} -I${CMAKE_SOURCE_DIR} -I${HEADSTACK_REGISTER_INCLUDE} -isystem ${HEADSTACK_START_DIR}/freestanding ${arg_INCLUDES}
              -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} headstack_registers
      DEPFILE ${object}.d
      COMMENT "Firmware ${name}: ${stem}"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(elf ${CMAKE_CURRENT_BINARY_DIR}/${name}.elf)
  add_custom_command(
    OUTPUT ${elf}
    # The library that fits is found by the architecture without its system instructions.
    COMMAND ${RISCV_GCC} -march=rv32imc -mabi=ilp32 -nostdlib -static -Wl,--gc-sections -Wl,--fatal-warnings
            -Wl,-Map=${CMAKE_CURRENT_BINARY_DIR}/${name}.map -T ${HEADSTACK_START_DIR}/soc.ld ${arg_LINK_OPTIONS} ${objects} -lgcc -o ${elf}
    COMMAND ${RISCV_SIZE} ${elf}
    DEPENDS ${objects} ${HEADSTACK_START_DIR}/soc.ld
    COMMENT "Firmware ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${elf})
  set_target_properties(${name} PROPERTIES HEADSTACK_ELF ${elf})
endfunction()
