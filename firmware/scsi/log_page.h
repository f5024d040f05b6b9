// SPDX-License-Identifier: Apache-2.0
/// @file
/// Log pages, and their parameters (SPC-4 7.3).
///
///     00h/00h  supported log pages                00h/FFh  the same with subpages
///     02h 03h 05h  error counters (SCSI-2 8.3.2.2): writes, reads, verifications
///     19h/21h  command duration limits statistics (SPC-6), each initiator's own
///     19h/FFh  supported subpages of page 19h
///     30h      vendor: what was done when a duration limit passed, each initiator's own
///     31h      vendor: the scheduler's counters (queue/policy.h)
///     32h      vendor: a histogram of service times (transfer/service_times.h)
///     33h      vendor: what a drive that moves its blocks has counted (transfer/remap.h)
///     34h      vendor: two histograms, of commands' waits for moves and of the host's gaps
///
/// Page 19h/21h: its parameters 11h-17h are the descriptors of T2A, 21h-27h those of T2B. Each has
/// eight counters of 4 bytes. Numbers and counters are as sg3_utils (sg_logs) and Seagate's
/// opensea-parser read them. Both have a parameter 0001h, an achievable latency. This drive
/// promises none, and has no such parameter. By their names the first three counters are expired
/// limits of inactive, active and total time. What the others count is in no public source; here:
///
///     nonconforming, predictive misses, misses by deferred errors or background work: 0
///     misses attributable to errors: commands past their total time that had errors to recover
///
/// Page 30h has the same parameters, with these counters (duration_counts.h): commands, commands
/// not watched, aborted with 2E/01, 2E/02 and 2E/03. Then completed as unavailable, continued
/// with the next limit, without one. Page 31h: parameter 0 is the policy's number, and its counters
/// follow; they begin at 0 when it is selected. Page 32h: reads of real time and of best effort (1,
/// 2), writes of both (3, 4), a counter of 4 bytes for each bin. Page 33h: parameter n is counter
/// n. Page 34h: waits (1) in bins of 4,096 us, and gaps (2) in those of remap/learn.h. Each has 32
/// bins of 4 bytes.
///
/// Counters stop at their highest value. Those of 02h to 05h, 31h and 33h have thresholds, the
/// highest values, with which nothing is compared. The others are lists: page control has no
/// meaning for them.
#ifndef FIRMWARE_SCSI_LOG_PAGE_H
#define FIRMWARE_SCSI_LOG_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct scsi;

#define LOG_PAGE_HEADER_BYTES 4U
#define LOG_SUBPAGE_ALL 0xFFU

/// Pages of vendors, 30h to 3Eh (SPC-3 7.2.1).
enum log_page {
  LOG_PAGE_LIMITS = 0x30,
  LOG_PAGE_SCHEDULER = 0x31,
  LOG_PAGE_SERVICE_TIMES = 0x32,
  LOG_PAGE_REMAP_COUNTS = 0x33,
  LOG_PAGE_REMAP_TIMES = 0x34,
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
uint32_t log_page_put(const struct scsi* scsi, uint8_t initiator, uint32_t number,
                      enum log_control control, uint32_t pointer, uint8_t* bytes);

/// Sets the counters of a page to 0. @return whether they are those of other initiators, too.
bool log_page_clear(struct scsi* scsi, uint8_t initiator, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_LOG_PAGE_H
