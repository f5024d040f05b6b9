/// @file
/// The standard library's files as GTKWave's writer of FST files has to use them: it asks nobody
/// whether what it writes arrives, and its file is cut without a word when the disk is full. Nor
/// does it ask for the date: files have none here, so that the same run gives the same file.
///
/// This header is put in front of the library's source (hdl/cmake/verilate.cmake), so that its
/// calls come through here. An error of the wave file itself is kept for take_wave_error(). The
/// others, its names and its temporary files, it maps into memory afterwards, where bytes that did
/// not arrive would be a bus error: one of those ends the program, with exit status 1 and a
/// sentence.
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

/// No date, whatever the time.
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
