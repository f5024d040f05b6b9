// SPDX-License-Identifier: Apache-2.0
// Paths that differ from checkout to checkout, for tests. The build writes these functions into one
// source (tests/paths.cpp.in). So no other compile line has a path of the checkout, and the
// compiler's cache serves every checkout.
#pragma once

#include <string>

namespace headstack::test {

/// The source tree's root, without a slash at the end.
const char* source_root();

/// The drive's program, drive.elf of this build.
const char* drive_elf();

/// The program behind `headstack run` of this build.
const char* run_program();

/// The interpreter with the packages of host/python.
const char* python();

/// The path of a file of this build, by its path below the build folder.
std::string built(const std::string& path);

}  // namespace headstack::test
