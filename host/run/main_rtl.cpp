// headstack run with the electronics: SystemC has main().
#include <systemc>

#include "host/run/program.hpp"

void headstack::run::become_rtl_program(char** /*argv*/) {}

int sc_main(int argc, char** argv) { return headstack::run::run_program(argc, argv); }
