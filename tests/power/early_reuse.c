// SPDX-License-Identifier: Apache-2.0
// A broken build, for tests. A slot counts as free as soon as its unit has been copied, and not
// only once the move is recorded. Nothing goes wrong while no host reads and no power is cut.
#define remap_moves_plan honest_plan
#define remap_moves_next honest_next
#include "firmware/transfer/remap_moves.c"
#undef remap_moves_plan
#undef remap_moves_next

bool remap_moves_plan(struct remap* remap);

bool remap_moves_plan(struct remap* remap) {
  if (!honest_plan(remap)) return false;
  if (remap->batch > BLOCK_MAP_SCRATCH_MAX / 2) remap->batch = BLOCK_MAP_SCRATCH_MAX / 2;
  const uint32_t planned = remap->batch;
  for (uint32_t i = 0; i < planned && remap->batch < BLOCK_MAP_SCRATCH_MAX; ++i) {
    const uint32_t slot = remap->map->location[remap->entry[i].unit];
    if (slot >= remap->map->units || is_in_batch(remap, remap->goal_at[slot])) continue;
    remap->entry[remap->batch++] = (struct remap_entry){
        .unit = remap->goal_at[slot], .to = (uint16_t)slot, .hole = remap->entry[i].hole};
  }
  return true;
}

void remap_moves_next(struct remap* remap, struct media_request* request);

/// Takes moves in the order of the list: a slot is read before another unit is written to it.
void remap_moves_next(struct remap* remap, struct media_request* request) {
  const uint8_t batch = remap->batch;
  if (remap->step == REMAP_READS) remap->batch = (uint8_t)(remap->index + 1U);
  honest_next(remap, request);
  remap->batch = batch;
}
