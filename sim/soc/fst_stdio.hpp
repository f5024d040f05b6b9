// SPDX-License-Identifier: Apache-2.0
/// @file
/// Replacements of the standard library's file functions, for GTKWave's writer of FST files. The
/// writer does not check whether its writes succeed: on a full disk it would truncate the file
/// silently. The replacements also omit the date, so that the same run gives the same file.
///
/// The build includes this header before the library's source (hdl/cmake/verilate.cmake), which
/// redirects its calls. An error of the wave file itself is kept for take_wave_error(). The library
/// maps its other files, for names and temporary data, into memory afterwards. A missing byte there
/// would be a bus error, so an error of these files ends the program with a message and exit status
/// 1.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace headstack::soc {

std::FILE* wave_fopen(const char* path, const char* mode);
std::FILE* wave_tmpfile();
std::size_t wave_fwrite(const void* bytes, std::size_t size, std::size_t count, std::FILE* file);
int wave_fflush(std::FILE* file);
int wave_fseeko(std::FILE* file, off_t offset, int whence);
int wave_fclose(std::FILE* file);

/// Returns no date, for any time.
const char* wave_date(const std::tm* time);

/// The errno of the first write to a wave file that failed since the last call; 0 for none.
int take_wave_error();

}  // namespace headstack::soc

#ifdef HEADSTACK_WAVE_LIBRARY
#define fopen(path, mode) headstack::soc::wave_fopen(path, mode)
#define tmpfile() headstack::soc::wave_tmpfile()
#define fwrite(bytes, size, count, file) headstack::soc::wave_fwrite(bytes, size, count, file)
#define fflush(file) headstack::soc::wave_fflush(file)
#define fseeko(file, offset, whence) headstack::soc::wave_fseeko(file, offset, whence)
#define fclose(file) headstack::soc::wave_fclose(file)
#define asctime(time) headstack::soc::wave_date(time)
#endif
