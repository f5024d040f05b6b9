// SPDX-License-Identifier: Apache-2.0
// The arbiter of the arm (firmware/transfer/arm.h) with clients of each kind. All states that eight
// actions reach from power-on are searched. The rules are those of arm.h and arm_clients.def.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <vector>

extern "C" {
#include "firmware/motion/seek.h"
#include "firmware/transfer/arm.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/unit/unit.h"
#include "tests/firmware/arm_model.h"
}

// The world around the arbiter: clients and media, as plain data that can be saved and restored.
struct model {
  uint8_t work_left, spare_left, tasks, ahead_left;
  bool work_yields;    // the next plan of WORK yields to other events
  bool task_at_arm;    // a task has the arm
  bool task_is_start;  // that task does not need the media, but the spindle
  bool start_waits;    // the next task is such a one
  bool verifies;       // the next task at the media has a second request
  bool has_room;       // a task could begin
  bool parks, parked;
  bool ends_at_once;   // the next request ends as soon as it begins
  bool abort_is_late;  // an abort ends with a later event
  uint8_t request_of;  // the client for which the media were started, an enum arm_client
};

namespace {

struct World {
  ::model model;
  ::arm arm;
  ::media media;
  ::seek seek;
  ::bus_holder bus;
  ::task holder;
};

World world;
::unit unit_values;
std::vector<std::string> broken;  // rules that the last action broke

void require(bool holds, const char* rule) {
  if (!holds) broken.emplace_back(rule);
}

bool task_waits() { return world.model.tasks > 0; }

bool is_ready() {
  return world.seek.spindle == SPINDLE_AT_SPEED && unit_values.not_ready == SENSE_NONE;
}

enum arm_answer request_for(enum arm_client client) {
  world.model.request_of = static_cast<std::uint8_t>(client);
  return ARM_REQUEST;
}

/// The arm may be offered only to a client that wants it, while it is free and no rule keeps it.
void require_offer(enum arm_client client) {
  require(world.arm.owner == ARM_NO_CLIENT && world.media.state == MEDIA_IDLE,
          "the offered arm is free");
  require(arm_is_wanted_by(&world.arm, client), "only who wants the arm is offered it");
  require((world.arm.blocked & (ARM_CONTROLLER_BUSY | ARM_YIELDED)) == 0,
          "nobody begins while blocked");
}

void require_outcome(enum arm_client client, enum media_outcome outcome) {
  require(world.model.request_of == client, "the outcome goes to the client of the request");
  require(outcome != MEDIA_ENDED || world.arm.owner == ARM_NO_CLIENT,
          "the arm is free after the end");
  if (outcome == MEDIA_ENDED) world.model.request_of = ARM_NO_CLIENT;
}

void abort_idle() {
  if (world.media.state == MEDIA_IDLE || world.media.aborted) return;
  if (world.model.abort_is_late) {
    world.media.aborted = true;
    return;
  }
  world.media.state = MEDIA_IDLE;
  world.arm.owner = ARM_NO_CLIENT;
  world.model.request_of = ARM_NO_CLIENT;
}

}  // namespace

extern "C" {

enum media_outcome media_start(struct media* media) {
  require(media->state == MEDIA_IDLE, "the media are idle when they are started");
  media->aborted = false;
  if (world.model.ends_at_once) {
    world.model.ends_at_once = false;
    return MEDIA_ENDED;
  }
  media->state = MEDIA_SEEKING;
  return MEDIA_NOTHING;
}

void media_rest(struct media* media, uint32_t cylinder) {
  require(cylinder == 7, "the arm goes where the client says");
  world.model.parked = true;
  media->state = MEDIA_SEEKING;
  media->aborted = false;
}

bool bus_holder_suspends(const struct bus_holder*, const struct task*) { return false; }

enum arm_answer work_plan(struct model* model, struct media_request*) {
  require_offer(ARM_WORK);
  if (model->work_yields) {
    model->work_yields = false;
    world.arm.blocked |= ARM_YIELDED;
    return ARM_WAITS;
  }
  if (model->work_left > 0) return request_for(ARM_WORK);
  arm_do_without(&world.arm, ARM_WORK);
  return ARM_DONE;
}

enum arm_answer work_outcome(struct model* model, enum media_outcome outcome,
                             struct media_request*) {
  require_outcome(ARM_WORK, outcome);
  if (outcome == MEDIA_ENDED) --model->work_left;
  return ARM_PASSES;
}

enum arm_answer spare_plan(struct model* model, struct media_request*) {
  require_offer(ARM_SPARE);
  require(is_ready() && world.bus.task == nullptr, "BACKGROUND: ready, and no task holds the bus");
  require(world.arm.others_wait == task_waits(), "BACKGROUND: whether tasks wait");
  require(!arm_is_wanted_by(&world.arm, ARM_WORK), "WORK comes before SPARE");
  if (world.arm.others_wait) return ARM_PASSES;
  if (model->spare_left > 0) return request_for(ARM_SPARE);
  arm_do_without(&world.arm, ARM_SPARE);
  return ARM_PASSES;
}

enum arm_answer spare_outcome(struct model* model, enum media_outcome outcome,
                              struct media_request*) {
  require_outcome(ARM_SPARE, outcome);
  if (outcome == MEDIA_ENDED) --model->spare_left;
  return ARM_PASSES;
}

void spare_yield(struct model*, bool) {
  require(task_waits() && world.arm.owner == ARM_SPARE,
          "asked to yield: a task waits for the owner");
}

bool host_task_wants(struct model* model) {
  if (model->tasks > 0) return true;
  arm_do_without(&world.arm, ARM_HOST);
  return false;
}

enum arm_answer host_task_plan(struct model* model, struct media_request*) {
  require_offer(ARM_HOST);
  require(!arm_is_wanted_by(&world.arm, ARM_WORK), "WORK comes before HOST");
  if (!host_task_wants(model)) return ARM_PASSES;
  if (!model->has_room) return ARM_WAITS;
  --model->tasks;
  model->task_at_arm = true;
  if (!model->start_waits) return request_for(ARM_HOST);
  model->start_waits = false;
  model->task_is_start = true;
  world.arm.owner = ARM_HOST;
  return ARM_DONE;
}

void host_task_begun(struct model*, enum media_outcome outcome) {
  require_outcome(ARM_HOST, outcome);
  require(world.arm.owner == ARM_HOST, "the client has the arm when its request begins");
}

enum arm_answer host_task_outcome(struct model* model, enum media_outcome outcome,
                                  struct media_request*) {
  require_outcome(ARM_HOST, outcome);
  require(model->task_at_arm, "outcomes go to the task at the arm");
  if (outcome == MEDIA_ENDED && model->verifies) {
    model->verifies = false;
    return request_for(ARM_HOST);
  }
  if (outcome == MEDIA_ENDED || outcome == MEDIA_SERVED) model->task_at_arm = false;
  if (outcome == MEDIA_SERVED) model->request_of = ARM_READ_AHEAD;
  return ARM_PASSES;
}

enum arm_answer read_ahead_plan(struct model* model, struct media_request*) {
  require_offer(ARM_READ_AHEAD);
  require(!task_waits(), "IDLE: no task can begin");
  arm_do_without(&world.arm, ARM_READ_AHEAD);
  if (model->ahead_left == 0) return ARM_PASSES;
  --model->ahead_left;
  return request_for(ARM_READ_AHEAD);
}

enum arm_answer read_ahead_outcome(struct model*, enum media_outcome outcome,
                                   struct media_request*) {
  require_outcome(ARM_READ_AHEAD, outcome);
  return ARM_PASSES;
}

void read_ahead_yield(struct model*, bool may_begin) {
  require(task_waits() && world.arm.owner == ARM_READ_AHEAD, "asked to yield: a task waits");
  require(may_begin == (world.arm.blocked == 0), "whether the task could begin");
  if (may_begin) abort_idle();
}

enum arm_answer park_plan(struct model* model, struct media_request* request) {
  require_offer(ARM_PARK);
  require(!task_waits(), "IDLE: no task can begin");
  if (!model->parks || model->parked) return ARM_PASSES;
  request->detour = 7;
  model->request_of = ARM_PARK;
  return ARM_GOES;
}

enum arm_answer park_outcome(struct model*, enum media_outcome outcome, struct media_request*) {
  require_outcome(ARM_PARK, outcome);
  return ARM_PASSES;
}

void park_yield(struct model*, bool may_begin) {
  require(task_waits() && world.arm.owner == ARM_PARK, "asked to yield: a task waits");
  if (may_begin) abort_idle();
}

}  // extern "C"

namespace {

void power_on() {
  std::memset(&world, 0, sizeof world);
  world.arm = {};
  world.arm.media = &world.media;
  world.arm.bus = &world.bus;
  world.arm.unit = &unit_values;
  world.arm.work = world.arm.spare = world.arm.host_task = &world.model;
  world.arm.read_ahead = world.arm.park = &world.model;
  world.media.seek = &world.seek;
  world.seek.spindle = SPINDLE_AT_SPEED;
  world.model.has_room = true;
  arm_init(&world.arm);
}

bool media_work() { return world.media.state != MEDIA_IDLE; }

void media_event(enum media_outcome outcome) {
  if (outcome == MEDIA_ENDED) world.media.state = MEDIA_IDLE;
  arm_on_media(&world.arm, outcome);
}

void want(enum arm_client client) {
  arm_want(&world.arm, client);
  arm_dispatch(&world.arm);
}

struct Action {
  const char* name;
  bool (*may)();
  void (*act)();
};

const Action kActions[] = {
    {"a task arrives", [] { return world.model.tasks < 2; },
     [] {
       ++world.model.tasks;
       want(ARM_HOST);
     }},
    {"a spindle task arrives", [] { return world.model.tasks == 0; },
     [] {
       ++world.model.tasks;
       world.model.start_waits = true;
       want(ARM_HOST);
     }},
    {"a waiting task is aborted", [] { return task_waits() && !world.model.start_waits; },
     [] {
       --world.model.tasks;
       arm_dispatch(&world.arm);
     }},
    {"work is ordered", [] { return world.model.work_left == 0; },
     [] {
       world.model.work_left = 2;
       want(ARM_WORK);
     }},
    {"work will yield", [] { return world.model.work_left > 0; },
     [] { world.model.work_yields = true; }},
    {"the loop resumes", [] { return (world.arm.blocked & ARM_YIELDED) != 0; },
     [] { arm_resume(&world.arm); }},
    {"spare work comes", [] { return world.model.spare_left == 0; },
     [] {
       world.model.spare_left = 1;
       want(ARM_SPARE);
     }},
    {"a hit asks for more", [] { return world.model.ahead_left == 0; },
     [] {
       world.model.ahead_left = 1;
       want(ARM_READ_AHEAD);
     }},
    {"the policy parks", [] { return !world.model.parks; },
     [] {
       world.model.parks = true;
       want(ARM_PARK);
     }},
    {"the media go on", media_work, [] { media_event(MEDIA_NOTHING); }},
    {"the task's blocks are there",
     [] { return world.arm.owner == ARM_HOST && media_work() && !world.model.verifies; },
     [] { media_event(MEDIA_SERVED); }},
    {"the request ends", media_work, [] { media_event(MEDIA_ENDED); }},
    {"the next request ends at once", [] { return !world.model.ends_at_once; },
     [] { world.model.ends_at_once = true; }},
    {"the next task verifies", [] { return !world.model.verifies && !world.model.task_at_arm; },
     [] { world.model.verifies = true; }},
    {"the task at the media is aborted",
     [] { return world.arm.owner == ARM_HOST && media_work() && !world.model.verifies; },
     [] {
       world.model.task_at_arm = false;
       world.arm.owner = ARM_READ_AHEAD;
       world.model.request_of = ARM_READ_AHEAD;
       world.media.aborted = true;
       arm_dispatch(&world.arm);
     }},
    {"the spindle is there", [] { return world.model.task_is_start; },
     [] {
       world.model.task_is_start = world.model.task_at_arm = false;
       world.arm.owner = ARM_NO_CLIENT;
       arm_dispatch(&world.arm);
     }},
    {"aborts end late or at once", [] { return true; },
     [] { world.model.abort_is_late = !world.model.abort_is_late; }},
    {"room comes or goes", [] { return true; },
     [] {
       world.model.has_room = !world.model.has_room;
       arm_dispatch(&world.arm);
     }},
    {"the spindle loses or regains its speed", [] { return true; },
     [] {
       const bool spins = world.seek.spindle == SPINDLE_AT_SPEED;
       world.seek.spindle = static_cast<std::uint8_t>(spins ? SPINDLE_AT_REST : SPINDLE_AT_SPEED);
       arm_dispatch(&world.arm);
     }},
    {"a task takes or leaves the bus", [] { return true; },
     [] {
       world.bus.task = world.bus.task == nullptr ? &world.holder : nullptr;
       arm_dispatch(&world.arm);
     }},
    {"the controller begins or ends its time", [] { return true; },
     [] {
       world.arm.blocked ^= ARM_CONTROLLER_BUSY;
       arm_dispatch(&world.arm);
     }},
    {"the power goes and comes", [] { return true; }, power_on},
};

/// Whether a client could begin although the arm has just been offered.
bool somebody_is_forgotten() {
  const ::model& model = world.model;
  if (world.arm.owner != ARM_NO_CLIENT || media_work() || world.arm.blocked != 0) return false;
  if (model.work_left > 0) return true;
  if (model.tasks > 0) return model.has_room;
  const bool spare_may = is_ready() && world.bus.task == nullptr;
  return (model.spare_left > 0 && spare_may) || model.ahead_left > 0 ||
         (model.parks && !model.parked);
}

void check_state() {
  const ::model& model = world.model;
  require(!media_work() || world.arm.owner != ARM_NO_CLIENT, "the media work for an owner");
  require(media_work() || world.arm.owner == ARM_NO_CLIENT || model.task_is_start,
          "only a spindle task keeps the arm without the media");
  require((world.arm.blocked & ARM_IS_OFFERED) == 0, "an offer ends");
  require(!media_work() || world.arm.owner == model.request_of, "the owner made the request");
  require(model.task_at_arm == (world.arm.owner == ARM_HOST), "the task at the arm has it");
  const bool yields = world.arm.owner == ARM_READ_AHEAD || world.arm.owner == ARM_PARK;
  require(!yields || !task_waits() || world.media.aborted || world.arm.blocked != 0,
          "IDLE clients yield to a task");
  require(!somebody_is_forgotten(), "the arm goes to whoever can begin");
}

std::string key_of(const World& at) {
  std::string key(reinterpret_cast<const char*>(&at.model), sizeof at.model);
  key += static_cast<char>(at.arm.wants);
  key += static_cast<char>(at.arm.owner);
  key += static_cast<char>(at.arm.blocked);
  key += static_cast<char>(at.media.state);
  key += static_cast<char>(at.media.aborted);
  key += static_cast<char>(at.seek.spindle);
  key += static_cast<char>(at.bus.task != nullptr);
  return key;
}

struct Reached {
  World at;
  unsigned depth;
  std::string path;
};

TEST(Arm, EveryStateWithinEightActions_KeepsTheRules) {
  constexpr unsigned kDepth = 8;
  power_on();
  std::map<std::string, bool> seen{{key_of(world), true}};
  std::deque<Reached> open{{world, 0, "power-on"}};
  std::vector<unsigned> uses(std::size(kActions));
  while (!open.empty()) {
    const Reached from = open.front();
    open.pop_front();
    for (const Action& action : kActions) {
      world = from.at;
      if (!action.may()) continue;
      broken.clear();
      action.act();
      check_state();
      ++uses[static_cast<std::size_t>(&action - kActions)];
      const std::string path = from.path + " > " + action.name;
      ASSERT_TRUE(broken.empty()) << broken.front() << "\n" << path;
      if (from.depth + 1 < kDepth && seen.emplace(key_of(world), true).second) {
        open.push_back({world, from.depth + 1, path});
      }
    }
  }
  for (std::size_t i = 0; i < uses.size(); ++i) EXPECT_GT(uses[i], 0U) << kActions[i].name;
  RecordProperty("states", static_cast<int>(seen.size()));
}

}  // namespace
