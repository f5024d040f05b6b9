// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a compiler may call for the language's own sake: there is no C library on the drive.
///
/// Word by word where both ends allow it: the core pays a cycle or two per access, whatever its
/// size.
#include <stddef.h>
#include <stdint.h>

void* memset(void* to, int value, size_t bytes);
void* memcpy(void* restrict to, const void* restrict from, size_t bytes);

void* memset(void* to, int value, size_t bytes) {
  uint8_t* at = to;
  for (; bytes > 0 && ((uintptr_t)at & 3U) != 0; --bytes) *at++ = (uint8_t)value;
  const uint32_t word = (uint32_t)(uint8_t)value * 0x01010101U;
  for (; bytes >= 16; bytes -= 16, at += 16) {
    uint32_t* words = (uint32_t*)(void*)at;
    words[0] = words[1] = words[2] = words[3] = word;
  }
  for (; bytes >= 4; bytes -= 4, at += 4) *(uint32_t*)(void*)at = word;
  for (; bytes > 0; --bytes) *at++ = (uint8_t)value;
  return to;
}

void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  uint8_t* at = to;
  const uint8_t* source = from;
  if ((((uintptr_t)at | (uintptr_t)source) & 3U) == 0) {
    for (; bytes >= 4; bytes -= 4, at += 4, source += 4) {
      *(uint32_t*)(void*)at = *(const uint32_t*)(const void*)source;
    }
  }
  for (; bytes > 0; --bytes) *at++ = *source++;
  return to;
}
