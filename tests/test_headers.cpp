// SPDX-License-Identifier: Apache-2.0
// Nothing: what it is compiled for are the precompiled headers of tests/CMakeLists.txt.
