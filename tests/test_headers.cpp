// Nothing: what it is compiled for are the precompiled headers of tests/CMakeLists.txt.
