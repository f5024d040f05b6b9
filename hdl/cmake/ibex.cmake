# SPDX-License-Identifier: Apache-2.0
# The core: Ibex from the Python package, with the changes of cpu/patches (README.md, "The core").
#
# IBEX is then what every user of the core compiles: our waivers, Ibex's packages in the order of their dependence and the
# patched files; IBEX_ARGS is where all else is found by name. The patched files are in the build folder, so that
# simulation and synthesis have one core; the package itself stays as it is.
find_package(Git REQUIRED)

# headstack_patched_ibex(OUT): copies each file that a patch names, applies the patches in the order of their names, and
# gives the files' list. A file that is the same as before keeps its time.
function(headstack_patched_ibex out)
  set(new ${CMAKE_CURRENT_BINARY_DIR}/ibex/new)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/ibex/rtl)
  file(REMOVE_RECURSE ${new})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cpu/patches)
  file(GLOB patches ${CMAKE_CURRENT_SOURCE_DIR}/cpu/patches/*.patch)
  list(SORT patches)
  set(names "")
  foreach(patch IN LISTS patches)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${patch})
    file(STRINGS ${patch} lines REGEX "^\\+\\+\\+ b/rtl/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^\\+\\+\\+ b/rtl/([a-z_]+\\.sv).*" "\\1" name "${line}")
      if(NOT name IN_LIST names)
        list(APPEND names ${name})
        file(COPY ${IBEX_ROOT}/rtl/${name} DESTINATION ${new}/rtl)
      endif()
    endforeach()
    # The ceiling keeps git from looking for a repository above, which would not know these files.
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${CMAKE_CURRENT_BINARY_DIR}/ibex ${GIT_EXECUTABLE} apply ${patch}
      WORKING_DIRECTORY ${new} RESULT_VARIABLE failed ERROR_VARIABLE message)
    if(failed)
      message(FATAL_ERROR "${patch} does not apply to the Ibex in ${IBEX_ROOT}:\n${message}"
        "Remedy: './headstack setup' installs the package of host/python/requirements.lock; for another version of Ibex the "
        "patch has to be made anew (hdl/README.md, \"The core\")")
    endif()
  endforeach()
  set(files "")
  file(MAKE_DIRECTORY ${folder})
  foreach(name IN LISTS names)
    file(COPY_FILE ${new}/rtl/${name} ${folder}/${name} ONLY_IF_DIFFERENT)
    list(APPEND files ${folder}/${name})
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

headstack_patched_ibex(IBEX_PATCHED)
set(IBEX_PRIM ${IBEX_ROOT}/vendor/lowrisc_ip/ip/prim/rtl)
set(IBEX_PACKAGES "")
foreach(package ram_1p secded count cipher util mubi)
  list(APPEND IBEX_PACKAGES ${IBEX_PRIM}/prim_${package}_pkg.sv)
endforeach()
list(APPEND IBEX_PACKAGES ${IBEX_ROOT}/rtl/ibex_pkg.sv)
set(IBEX ${CMAKE_CURRENT_SOURCE_DIR}/cpu/ibex.vlt ${IBEX_PACKAGES} ${IBEX_PATCHED})
set(IBEX_ARGS +incdir+${IBEX_PRIM} +incdir+${IBEX_ROOT}/vendor/lowrisc_ip/dv/sv/dv_utils
  -y ${IBEX_ROOT}/rtl -y ${IBEX_PRIM} -y ${IBEX_ROOT}/vendor/lowrisc_ip/ip/prim_generic/rtl
  # The wrappers that choose the generic primitives.
  -y ${IBEX_ROOT}/dv/uvm/core_ibex/common/prim)
