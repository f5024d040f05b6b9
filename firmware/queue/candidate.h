/// @file
/// A candidate: what a scheduling policy sees of a waiting task.
///
/// A task embeds one (member `candidate` of struct task), and its owner gets back from the one
/// to the other. When the task arrives, its place on the media is worked out once and kept here, so
/// that pricing a candidate needs no division and no table but the seek curve.
///
/// Candidates that wait form a list in arrival order, oldest first: walking it and keeping the
/// first of equals is the tie rule "oldest first".
#ifndef FIRMWARE_QUEUE_CANDIDATE_H
#define FIRMWARE_QUEUE_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a candidate needs beside its place. A byte compared with 0 and with 2 is what the inner
/// loop of a search can do fastest.
enum candidate_kind {
  CANDIDATE_READ,
  CANDIDATE_WRITE,           ///< The settling that writing needs.
  CANDIDATE_WRITE_TO_FETCH,  ///< That, and its data, which is still the host's.
};

/// Units: angle in 2^-32 revolutions after the index; span in 2^-24 revolutions.
/// Owner of the links: struct candidate_list, while the candidate is in one.
struct candidate {
  struct candidate* next;      ///< Younger neighbour, or NULL.
  struct candidate* previous;  ///< Older neighbour, or NULL.
  uint32_t angle_turn32;       ///< Where the first sector starts.
  uint32_t span_turn24;        ///< From there to the end of the last sector, switches included.
  uint16_t cylinder;           ///< Of the first sector.
  uint8_t head;                ///< Of the first sector.
  uint8_t kind;                ///< enum candidate_kind
};

/// Waiting candidates, oldest first. All zero is an empty list.
struct candidate_list {
  struct candidate* first;
  struct candidate* last;
  uint32_t count;
};

/// Adds `item` behind `before`, which is in `list`; NULL: as the oldest.
static inline void candidate_list_insert(struct candidate_list* list, struct candidate* before,
                                         struct candidate* item) {
  struct candidate* after = before != NULL ? before->next : list->first;
  item->previous = before;
  item->next = after;
  *(before != NULL ? &before->next : &list->first) = item;
  *(after != NULL ? &after->previous : &list->last) = item;
  ++list->count;
}

/// Adds the youngest.
static inline void candidate_list_append(struct candidate_list* list, struct candidate* item) {
  candidate_list_insert(list, list->last, item);
}

/// Takes out `item`, which must be in `list`.
static inline void candidate_list_remove(struct candidate_list* list, struct candidate* item) {
  if (item->previous != NULL) {
    item->previous->next = item->next;
  } else {
    list->first = item->next;
  }
  if (item->next != NULL) {
    item->next->previous = item->previous;
  } else {
    list->last = item->previous;
  }
  item->next = NULL;
  item->previous = NULL;
  --list->count;
}

#ifdef __cplusplus
}
#endif

#endif  // FIRMWARE_QUEUE_CANDIDATE_H
