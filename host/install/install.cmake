# SPDX-License-Identifier: Apache-2.0
# cmake --install: programs, Python, drives, the session library with its headers, and what find_package(headstack) reads.
#
#   bin/headstack                       the front end of all of it
#   lib/headstack/host, /firmware       programs and the drive's own, beside each other as in the build folder
#   lib/*.a, lib/cmake/headstack        the library
#   include/headstack                   its headers, by their paths in the source tree
#   share/headstack                     drives and Python, by their paths in the source tree
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(HEADSTACK_INSTALL_DATA ${CMAKE_INSTALL_DATADIR}/headstack)
set(HEADSTACK_INSTALL_PROGRAMS ${CMAKE_INSTALL_LIBDIR}/headstack)
set(HEADSTACK_INSTALL_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/headstack)

# What a program includes that works with sessions. Their closure is installed.
set(HEADSTACK_PUBLIC_HEADERS
  host/session/session.hpp host/session/rtl_platform.hpp host/options/catalog.hpp firmware/events.h)

# headstack_closure(OUT HEADER...): the headers, and all of the source tree's that they include.
function(headstack_closure out)
  set(found "")
  set(open ${ARGN})
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found ${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${header})
    file(STRINGS ${CMAKE_SOURCE_DIR}/${header} includes REGEX "^#include \"")
    list(TRANSFORM includes REPLACE "^#include \"([^\"]*)\".*" "\\1")
    list(APPEND open ${includes})
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

headstack_closure(headers ${HEADSTACK_PUBLIC_HEADERS})
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${CMAKE_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headstack/${folder})
endforeach()

# The session library, and what it stands on.
set(LIBRARIES
  headstack_flags headstack_world headstack_track headstack_host_adapter headstack_core headstack_elf headstack_tlm
  headstack_firmware_whole headstack_vp_platform
  headstack_output headstack_traces headstack_report headstack_options headstack_observe headstack_reference headstack_session
  headstack_verilated soc_fast soc_inspect headstack_modules headstack_channel headstack_initiator headstack_soc
  headstack_clock_manager headstack_platform headstack_session_rtl)
foreach(library IN LISTS LIBRARIES)
  string(REGEX REPLACE "^headstack_" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()
# Names of our own, beside those of other packages.
foreach(library soc_fast soc_inspect)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME headstack_${library})
endforeach()
install(TARGETS ${LIBRARIES} EXPORT headstack ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT headstack NAMESPACE headstack:: FILE headstack-targets.cmake DESTINATION ${HEADSTACK_INSTALL_PACKAGE})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/headstack-config.cmake.in ${CMAKE_BINARY_DIR}/headstack-config.cmake
  INSTALL_DESTINATION ${HEADSTACK_INSTALL_PACKAGE} PATH_VARS HEADSTACK_INSTALL_DATA HEADSTACK_INSTALL_PROGRAMS)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/headstack-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/headstack-config.cmake ${CMAKE_BINARY_DIR}/headstack-config-version.cmake
  DESTINATION ${HEADSTACK_INSTALL_PACKAGE})

# Programs, and the drive's.
install(TARGETS headstack headstack-run headstack-run-rtl DESTINATION ${HEADSTACK_INSTALL_PROGRAMS}/host)
get_property(elf TARGET drive PROPERTY HEADSTACK_ELF)
install(FILES ${elf} ${elf}.assertions DESTINATION ${HEADSTACK_INSTALL_PROGRAMS}/firmware)
cmake_path(GET elf PARENT_PATH firmware)
install(DIRECTORY ${firmware}/translations DESTINATION ${HEADSTACK_INSTALL_PROGRAMS}/firmware FILES_MATCHING PATTERN "*.so")
configure_file(${CMAKE_CURRENT_LIST_DIR}/headstack.in ${CMAKE_BINARY_DIR}/install/headstack @ONLY)
install(PROGRAMS ${CMAKE_BINARY_DIR}/install/headstack DESTINATION ${CMAKE_INSTALL_BINDIR})

# Drives and Python.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/sim/drives DESTINATION ${HEADSTACK_INSTALL_DATA}/sim FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY ${CMAKE_SOURCE_DIR}/host DESTINATION ${HEADSTACK_INSTALL_DATA}
  FILES_MATCHING PATTERN "*.py" PATTERN "*.css" PATTERN "*.jinja" PATTERN "*.j2" PATTERN "views.toml"
  PATTERN "requirements.*" PATTERN "filters/*.txt" PATTERN "__pycache__" EXCLUDE PATTERN "results" EXCLUDE)
