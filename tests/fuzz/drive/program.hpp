/// @file
/// `headstack fuzz drive`, for the programs of both platforms.
#pragma once

namespace headstack::fuzz {

/// Exit status: 0 nothing found; 1 findings; 2 the command line or a storyline is wrong;
/// 130 interrupted.
int fuzz_main(int argc, char** argv);

}  // namespace headstack::fuzz
