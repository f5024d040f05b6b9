# SPDX-License-Identifier: Apache-2.0
# headstack_lint(BLOCK TOP MODULE SOURCES FILE...): the test lint/BLOCK, `verilator --lint-only -Wall` with the assertions.
# Waivers stand beside what they waive, each with its reason; those for code that is not ours are the .vlt files.
function(headstack_lint block)
  cmake_parse_arguments(arg "" "TOP" "SOURCES" ${ARGN})
  add_test(NAME lint/${block}
    COMMAND ${VERILATOR} --lint-only -Wall --assert --top-module ${arg_TOP} ${arg_SOURCES})
  set_tests_properties(lint/${block} PROPERTIES LABELS lint TIMEOUT 120)
endfunction()
