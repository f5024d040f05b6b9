// SPDX-License-Identifier: Apache-2.0
/// @file
/// Log pages, and their parameters (SPC-4 7.3). The rows of logs.def say which there are.
///
/// Counters stop at their highest value. Those of a page of COUNTERS have thresholds, the highest
/// values, with which nothing is compared.
#ifndef FIRMWARE_DEVICE_LOG_PAGE_H
#define FIRMWARE_DEVICE_LOG_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device;

#define LOG_PAGE_HEADER_BYTES 4U
#define LOG_SUBPAGE_ALL 0xFFU

/// Page codes; 30h to 3Eh are the vendor's (SPC-3 7.2.1).
enum log_page_code {
#define LOG_PAGE(page, code, ...) LOG_PAGE_##page = (code),
#include "firmware/device/logs.def"
};

/// Page control, in bits 7-6 of byte 2: thresholds or present values, and the defaults of both.
enum log_control {
  LOG_THRESHOLD = 0,
  LOG_CUMULATIVE = 1,
  LOG_DEFAULT_THRESHOLD = 2,
  LOG_DEFAULT_CUMULATIVE = 3,
};

/// Pages by number, in ascending order of page and subpage.
uint32_t log_page_count(void);
uint8_t log_page_code(uint32_t number);
uint8_t log_page_subpage(uint32_t number);
/// Whether some page has this code.
bool log_page_exists(uint32_t code);
/// @return the number of a page, or log_page_count() for none.
uint32_t log_page_find(uint32_t code, uint32_t subpage);
/// Whether the page has counters: the others are lists of pages.
bool log_page_counts(uint32_t number);

/// Writes a page, header included, without the parameters whose codes are below `pointer`.
/// @return its bytes; 0: no parameter has this code or a higher one.
uint32_t log_page_put(const struct device* device, uint8_t initiator, uint32_t number,
                      enum log_control control, uint32_t pointer, uint8_t* bytes);

/// Sets the counters of a page to 0. @return whether they are those of other initiators, too.
bool log_page_clear(struct device* device, uint8_t initiator, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_DEVICE_LOG_PAGE_H
