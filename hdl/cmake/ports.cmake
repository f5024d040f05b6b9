# SPDX-License-Identifier: Apache-2.0
# hdl/include/hdl_ports.hpp in the build folder: the packed structs of ports/*_pkg.sv in C++ (ports/export_ports.py).
# The target headstack_ports makes it. headstack_verilate passes both to all who link a model.
set(HEADSTACK_EXPORT_PORTS ${CMAKE_CURRENT_SOURCE_DIR}/ports/export_ports.py)
set(HEADSTACK_PORTS_HEADER ${HEADSTACK_REGISTER_INCLUDE}/hdl_ports.hpp)
file(GLOB packages ${CMAKE_CURRENT_SOURCE_DIR}/ports/*_pkg.sv)
add_custom_command(
  OUTPUT ${HEADSTACK_PORTS_HEADER}
  COMMAND ${HEADSTACK_PYTHON} -B ${HEADSTACK_EXPORT_PORTS} ${packages} -o ${HEADSTACK_PORTS_HEADER}
  DEPENDS ${packages} ${HEADSTACK_EXPORT_PORTS}
  COMMENT "Port structs in C++"
  VERBATIM)
add_custom_target(headstack_ports ALL DEPENDS ${HEADSTACK_PORTS_HEADER})
