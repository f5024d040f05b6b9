# SPDX-License-Identifier: Apache-2.0
# The core: Ibex from the Python package, as it is (README.md, "The core").
#
# IBEX is what every user of the core compiles: our waivers, and Ibex's packages in the order of their dependence. IBEX_ARGS is
# where all else is found by name.
set(IBEX_PRIM ${IBEX_ROOT}/vendor/lowrisc_ip/ip/prim/rtl)
set(IBEX_PACKAGES "")
foreach(package ram_1p secded count cipher util mubi)
  list(APPEND IBEX_PACKAGES ${IBEX_PRIM}/prim_${package}_pkg.sv)
endforeach()
list(APPEND IBEX_PACKAGES ${IBEX_ROOT}/rtl/ibex_pkg.sv)
set(IBEX ${CMAKE_CURRENT_SOURCE_DIR}/cpu/ibex.vlt ${IBEX_PACKAGES})
set(IBEX_ARGS +incdir+${IBEX_PRIM} +incdir+${IBEX_ROOT}/vendor/lowrisc_ip/dv/sv/dv_utils
  -y ${IBEX_ROOT}/rtl -y ${IBEX_PRIM} -y ${IBEX_ROOT}/vendor/lowrisc_ip/ip/prim_generic/rtl
  # The wrappers that choose the generic primitives.
  -y ${IBEX_ROOT}/dv/uvm/core_ibex/common/prim)
