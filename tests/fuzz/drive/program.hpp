// SPDX-License-Identifier: Apache-2.0
/// @file
/// `headstack fuzz drive`, for the programs of both platforms.
#pragma once

namespace headstack::fuzz {

/// Exit status: 0 no finding; 1 findings; 2 a bad command line or storyline; 130 interrupted.
int fuzz_main(int argc, char** argv);

}  // namespace headstack::fuzz
