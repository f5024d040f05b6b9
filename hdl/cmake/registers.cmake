# SPDX-License-Identifier: Apache-2.0
# headstack_registers(NAME): from regs/NAME.rdl makes, in the build folder,
#   hdl/regs/NAME_regs.sv, NAME_regs_pkg.sv   the register block and its types
#   hdl/include/NAME_regs.h                   the C header
#   hdl/doc/NAME.md                           the register page
#   hdl/tlm/NAME_registers.hpp                the register class of the fast platform
# The target headstack_registers makes all of them; HEADSTACK_REGISTER_INCLUDE is where the C headers are,
# HEADSTACK_TLM_INCLUDE where the register classes are.

# What gives a register block headstack's register port (reg_port.py).
set(HEADSTACK_REGISTER_PORT ${CMAKE_CURRENT_SOURCE_DIR}/regs)
set(HEADSTACK_REGISTER_RTL ${CMAKE_CURRENT_BINARY_DIR}/regs)
set(HEADSTACK_REGISTER_INCLUDE ${CMAKE_CURRENT_BINARY_DIR}/include)
set(HEADSTACK_REGISTER_DOC ${CMAKE_CURRENT_BINARY_DIR}/doc)
set(HEADSTACK_TLM_INCLUDE ${CMAKE_CURRENT_BINARY_DIR}/tlm)
set(HEADSTACK_EXPORT_REGISTERS ${CMAKE_SOURCE_DIR}/sim/tlm/registers/export_registers.py)
file(MAKE_DIRECTORY ${HEADSTACK_REGISTER_INCLUDE} ${HEADSTACK_REGISTER_DOC} ${HEADSTACK_TLM_INCLUDE})
add_custom_target(headstack_registers ALL)

function(headstack_registers name)
  set(rdl ${CMAKE_CURRENT_SOURCE_DIR}/regs/${name}.rdl)
  set(rtl ${HEADSTACK_REGISTER_RTL}/${name}_regs.sv ${HEADSTACK_REGISTER_RTL}/${name}_regs_pkg.sv)
  set(header ${HEADSTACK_REGISTER_INCLUDE}/${name}_regs.h)
  set(page ${HEADSTACK_REGISTER_DOC}/${name}.md)
  # An offset without a register is a bus error. RTL: what of the description is memories there (buffer_mgr.rdl).
  add_custom_command(
    OUTPUT ${rtl} ${header} ${page}
    COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1
            ${PEAKRDL} regblock ${rdl} --peakrdl-cfg ${HEADSTACK_REGISTER_PORT}/peakrdl.toml -o ${HEADSTACK_REGISTER_RTL}
            --cpuif reg-port --default-reset arst_n --err-if-bad-addr --module-name ${name}_regs
            --package-name ${name}_regs_pkg -D RTL
    COMMAND ${PEAKRDL} c-header ${rdl} -o ${header}
    COMMAND ${PEAKRDL} markdown ${rdl} -o ${page}
    DEPENDS ${rdl} ${HEADSTACK_REGISTER_PORT}/peakrdl.toml ${HEADSTACK_REGISTER_PORT}/reg_port.py
            ${HEADSTACK_REGISTER_PORT}/reg_port.sv.jinja
    COMMENT "Registers of ${name}"
    VERBATIM)
  # Apart, so that a change of the exporter does not make the Verilated models anew.
  set(class ${HEADSTACK_TLM_INCLUDE}/${name}_registers.hpp)
  add_custom_command(
    OUTPUT ${class}
    COMMAND ${HEADSTACK_PYTHON} -B ${HEADSTACK_EXPORT_REGISTERS} ${rdl} -o ${class}
    DEPENDS ${rdl} ${HEADSTACK_EXPORT_REGISTERS} ${CMAKE_SOURCE_DIR}/sim/tlm/registers/register_model.py
    COMMENT "Register class of ${name}"
    VERBATIM)
  add_custom_target(headstack_registers_${name} DEPENDS ${rtl} ${header} ${page} ${class})
  add_dependencies(headstack_registers headstack_registers_${name})
endfunction()
