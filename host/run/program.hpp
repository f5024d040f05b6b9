// `headstack run`, behind the main() of its programs.
#pragma once

namespace headstack::run {

/// @return the exit status.
int run_program(int argc, char** argv);

/// Called for a run on `rtl` before anything of it begins. The program without electronics becomes
/// the one that has them, with the same words, or throws why it cannot; that one just goes on.
void become_rtl_program(char** argv);

}  // namespace headstack::run
