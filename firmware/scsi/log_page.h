/// @file
/// Log pages: which there are, and what their parameters are (SPC-4 7.3).
///
///     00h/00h  supported log pages                00h/FFh  the same with subpages
///     02h 03h 05h  error counters (SCSI-2 8.3.2.2): writes, reads, verifications
///     19h/21h  command duration limits statistics (SPC-6), each initiator's own
///     19h/FFh  supported subpages of page 19h
///     30h      vendor: what was done when a duration limit passed, each initiator's own
///     31h      vendor: the scheduler's counters (queue/policy.h)
///     32h      vendor: a histogram of service times (transfer/service_times.h)
///
/// Page 19h/21h: the numbers of its parameters (11h-17h the descriptors of T2A, 21h-27h those of
/// T2B) and the eight counters of 4 bytes in each are as sg3_utils (sg_logs) and Seagate's
/// opensea-parser read them. Both have a parameter 0001h, an achievable latency; this drive
/// promises none, and has no such parameter. The names say what the first three are: limits of
/// inactive, active and total time that passed. What the others count is in no public source; here:
///
///     nonconforming, predictive misses, misses by deferred errors or background work: 0
///     misses attributable to errors: commands past their total time that had errors to recover
///
/// Page 30h has the same parameters: commands, commands not watched, aborted with 2E/01, 2E/02 and
/// 2E/03, completed as unavailable, gone on with the next limit, gone on without (counters of
/// duration_counts.h). Page 31h: parameter 0 is the policy's number, then come its counters; they
/// begin at 0 when it is selected. Page 32h: reads of real time and of best effort (1, 2), writes
/// of both (3, 4), a counter of 4 bytes for each bin.
///
/// Counters end at their highest value. Those of 02h to 05h and 31h have thresholds, the highest
/// values, with which nothing is compared. The others are lists: page control means nothing for
/// them.
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

/// Page control, in bits 7-6 of byte 2: values that are, and those that count begins with.
enum log_control {
  LOG_THRESHOLD = 0,
  LOG_CUMULATIVE = 1,
  LOG_DEFAULT_THRESHOLD = 2,
  LOG_DEFAULT_CUMULATIVE = 3,
};

/// In ascending order of page and subpage.
uint32_t log_page_count(void);
uint8_t log_page_code(uint32_t number);
uint8_t log_page_subpage(uint32_t number);
/// Whether some page has this code.
bool log_page_exists(uint32_t code);
/// @return the number of a page, or log_page_count(): there is none.
uint32_t log_page_find(uint32_t code, uint32_t subpage);
/// Whether it has counters: the others are lists of pages.
bool log_page_counts(uint32_t number);

/// Writes a page, header included, without the parameters whose codes are below `pointer`.
/// @return its bytes; 0: there is no parameter of such a code or a higher one.
uint32_t log_page_put(const struct scsi* scsi, uint8_t initiator, uint32_t number,
                      enum log_control control, uint32_t pointer, uint8_t* bytes);

/// Sets the counters of a page to 0. @return whether other initiators see it.
bool log_page_clear(struct scsi* scsi, uint8_t initiator, uint32_t number);

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_SCSI_LOG_PAGE_H
