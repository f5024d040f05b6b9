// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/policy_bench.hpp"

#include <algorithm>

#include "host/options/policy_option.hpp"
#include "host/options/stream_option.hpp"

namespace headstack::test {
namespace {

constexpr std::uint32_t kFirstSequence = UINT32_MAX - 40;

/// The number of an arrival, without the wrap.
std::uint64_t order_of(const ::candidate& candidate) { return candidate.sequence - kFirstSequence; }

}  // namespace

PolicyBench::PolicyBench(const drive::Design& design, std::uint32_t margin_tick)
    : PolicyBench(firmware_design(design), margin_tick) {}

PolicyBench::PolicyBench(std::unique_ptr<::drive_design> table, std::uint32_t margin_tick)
    : table_(std::move(table)) {
  rotation_init(&rotation_, table_.get());
  predictor_init(&predictor_, table_.get(), &rotation_, margin_tick);
  reset();
}

void PolicyBench::reset() {
  candidate_set_init(waiting_.get(), table_->band_shift);
  candidates_.clear();
  arrivals_ = 0;
  data_delay_ = 0;
  scheduler_init(&scheduler_, waiting_.get(), &predictor_, store_.get());
  at_ = {};
  at_.at_tick = 1'000'000;
}

void PolicyBench::select(const std::string& policy) {
  const ::policy_selection selection = options::parse_policy(policy);
  ASSERT_EQ(scheduler_select(&scheduler_, &selection), STATUS_OK) << policy;
}

void PolicyBench::settle(const std::vector<std::string>& streams) {
  ::policy_stream settled[POLICY_STREAMS] = {};
  for (const options::StreamSetting& one : options::parse_streams(streams)) {
    settled[one.stream] = one.values;
  }
  scheduler_set_streams(&scheduler_, settled);
}

::candidate& PolicyBench::arrive(std::unique_ptr<::candidate> candidate) {
  candidate->sequence = static_cast<std::uint32_t>(kFirstSequence + arrivals_++);
  candidate->arrived_64ticks = static_cast<std::uint32_t>(at_.at_tick / 64);
  candidate_set_append(waiting_.get(), candidate.get());
  candidates_.push_back(std::move(candidate));
  return *candidates_.back();
}

::candidate& PolicyBench::add(std::uint32_t cylinder, std::uint32_t head,
                              std::uint32_t angle_turn32, std::uint32_t span_turn24,
                              ::candidate_kind kind) {
  auto candidate = std::make_unique<::candidate>();
  candidate->cylinder = static_cast<std::uint16_t>(cylinder);
  candidate->head = static_cast<std::uint8_t>(head);
  candidate->end_cylinder = candidate->cylinder;
  candidate->end_head = candidate->head;
  candidate->angle_turn32 = angle_turn32;
  candidate->span_turn24 = span_turn24;
  candidate->kind = kind;
  return arrive(std::move(candidate));
}

::candidate& PolicyBench::add_blocks(std::uint32_t lba, std::uint32_t blocks, bool is_write) {
  auto candidate = std::make_unique<::candidate>();
  EXPECT_EQ(predictor_place(&predictor_, lba, blocks, is_write, candidate.get()), STATUS_OK);
  return arrive(std::move(candidate));
}

void PolicyBench::make_due(::candidate& candidate, std::int64_t ticks) {
  candidate.service_class = CANDIDATE_REAL_TIME;
  candidate.deadline_64ticks =
      static_cast<std::uint32_t>((static_cast<std::int64_t>(at_.at_tick) + ticks) / 64);
}

const ::head_state& PolicyBench::heads() {
  at_.angle_turn32 = rotation_angle_turn32(&rotation_, at_.at_tick);
  at_.data_tick = at_.at_tick + data_delay_;
  return at_;
}

::candidate* PolicyBench::choose() {
  scheduler_announce_arrivals(&scheduler_, &heads());
  ::policy_view view = {waiting_.get(), &predictor_, &heads(), 0, nullptr, false};
  ::candidate* chosen = scheduler_.policy->which_next(scheduler_.state.bytes, &view);
  EXPECT_EQ(chosen == nullptr, waiting_->count == 0);
  return chosen;
}

::candidate* PolicyBench::choose_prepared(std::size_t late, std::size_t steps) {
  auto work = std::make_unique<::policy_work>();
  ::policy_view view = {waiting_.get(), &predictor_, &heads(), 0, work.get(), false};
  const auto prepare = [&] { return scheduler_.policy->prepare(scheduler_.state.bytes, &view); };
  std::vector<::candidate*> youngest;
  while (youngest.size() < late && waiting_->count > 0) {
    youngest.push_back(waiting_->last);
    candidate_set_remove(waiting_.get(), youngest.back());
  }
  bool more = true;
  for (std::size_t i = 0; i < steps && more; ++i) more = prepare();
  for (; !youngest.empty(); youngest.pop_back()) {
    // The policy keeps what it knows of the candidate: a late announcement is nothing new.
    ::candidate& one = *youngest.back();
    const ::candidate known = one;
    candidate_set_append(waiting_.get(), &one);
    one.announced = known.announced;
    one.mark = known.mark;
    if (more) more = prepare();
  }
  return scheduler_.policy->which_next(scheduler_.state.bytes, &view);
}

// Arrivals compared with a plan one by one, in any order, end where the search ends.
const ::candidate* PolicyBench::best_by_comparing(std::mt19937& random) {
  std::vector<const ::candidate*> waiting;
  for (const ::candidate* item = waiting_->first; item != nullptr; item = item->next) {
    waiting.push_back(item);
  }
  std::shuffle(waiting.begin(), waiting.end(), random);
  const ::policy_view view = {waiting_.get(), &predictor_, &heads(), 0, nullptr, false};
  const ::candidate* best = waiting[0];
  for (const ::candidate* item : waiting) {
    const auto is_better = scheduler_.policy->is_better;
    if (item != best && is_better(scheduler_.state.bytes, &view, item, best)) best = item;
  }
  return best;
}

::candidate* PolicyBench::choose_in_each_way(std::mt19937& random, bool may_prepare) {
  ::candidate* chosen = choose();
  const ::policy& policy = *scheduler_.policy;
  if (policy.is_better != nullptr) {
    EXPECT_EQ(best_by_comparing(random), chosen) << policy.name;
  }
  // A preparation changes no result, whatever arrives between its steps and after them. A policy
  // that makes steps at arrivals has them announced meanwhile: test_policy_steps.cpp.
  if (may_prepare && policy.prepare != nullptr && policy.step == nullptr) {
    const std::size_t late = random() % 5, steps = 1 + random() % 8;
    EXPECT_EQ(choose_prepared(late, steps), chosen)
        << policy.name << ", " << late << " late after " << steps << " steps";
  }
  return chosen;
}

std::uint32_t PolicyBench::detour(const ::candidate& candidate) {
  return scheduler_detour(&scheduler_, &candidate, &heads());
}

void PolicyBench::serve(::candidate& candidate) {
  const ::head_state from = heads();
  candidate_set_remove(waiting_.get(), &candidate);
  scheduler_task_served(&scheduler_, &candidate, &from);
  at_.at_tick = predictor_access_end(&predictor_, &from, &candidate);
  at_.cylinder = candidate.end_cylinder;
  at_.head = candidate.end_head;
}

void PolicyBench::withdraw(::candidate& candidate) {
  candidate_set_remove(waiting_.get(), &candidate);
  scheduler_task_left(&scheduler_, &candidate);
}

std::vector<std::uint32_t> PolicyBench::cylinders_served() {
  std::vector<std::uint32_t> cylinders;
  while (::candidate* chosen = choose()) {
    cylinders.push_back(chosen->cylinder);
    serve(*chosen);
  }
  return cylinders;
}

reference::Request PolicyBench::request_of(const ::candidate& candidate) {
  reference::Request request;
  request.cylinder = candidate.cylinder;
  request.order = order_of(candidate);
  request.arrival_tick = std::uint64_t{candidate.arrived_64ticks} * 64;
  request.transfer = candidate.span_turn24;
  if (candidate_is_real_time(&candidate)) {
    request.due_tick = std::uint64_t{candidate.deadline_64ticks} * 64;
  }
  return request;
}

reference::Queue PolicyBench::queue() const {
  reference::Queue queue;
  for (const ::candidate* item = waiting_->first; item != nullptr; item = item->next) {
    queue.push_back(request_of(*item));
  }
  return queue;
}

std::uint64_t PolicyBench::access_turn24(const ::candidate& candidate) {
  ::pricing pricing{};
  predictor_begin(&predictor_, &heads(), &pricing);
  return pricing.margin_turn24 + pricing_access_turn24(&pricing, &candidate);
}

// The arm goes from the end of one access to the next; each access has the margin.
std::uint64_t PolicyBench::path_turn24(const reference::Queue& path) {
  ::head_state from = heads();
  std::uint64_t passed_turn24 = 0, fetch_turn24 = 0;
  for (const reference::Request& request : path) {
    const ::candidate& candidate = *candidates_.at(request.order);
    ::pricing pricing{};
    predictor_begin(&predictor_, &from, &pricing);
    if (passed_turn24 == 0) fetch_turn24 = pricing.data_turn24;
    // Data that were requested at the choice arrive sooner by that time.
    pricing.data_turn24 =
        static_cast<std::uint32_t>(fetch_turn24 > passed_turn24 ? fetch_turn24 - passed_turn24 : 0);
    passed_turn24 += pricing.margin_turn24 + pricing_access_turn24(&pricing, &candidate);
    from.cylinder = candidate.end_cylinder;
    from.head = candidate.end_head;
    from.angle_turn32 = candidate.angle_turn32 + (candidate.span_turn24 << 8);
  }
  return passed_turn24;
}

std::uint64_t PolicyBench::due_turn24(const reference::Request& request) const {
  constexpr std::uint64_t kTurns = 256;  // as many turns as 32 bits of turn24 hold
  const std::uint64_t due = *request.due_tick, now = at_.at_tick;
  if (due <= now) return 0;
  if ((due - now) * 64 + 64 * 64 >= kTurns * rotation_.period_tick64) return reference::kNever;
  // The unit is 64 ticks, as for deadlines; `speed` is turn32 a tick, times 2^32.
  const std::uint64_t turn24_per_unit = rotation_.speed * 64 >> 24;  // times 2^16
  const std::uint64_t units = due / 64 - now / 64;
  return (units * turn24_per_unit >> 16) -
         rotation_turn24(&rotation_, static_cast<std::uint32_t>(now % 64));
}

reference::Moment PolicyBench::moment() {
  reference::Moment moment;
  moment.now_tick = at_.at_tick;
  moment.cylinder = at_.cylinder;
  moment.access = [this](const reference::Request& request) {
    return access_turn24(*candidates_.at(request.order));
  };
  moment.access_path = [this](const reference::Queue& path) { return path_turn24(path); };
  moment.due = [this](const reference::Request& request) { return due_turn24(request); };
  moment.margin = rotation_turn24(&rotation_, predictor_.margin_tick);
  return moment;
}

reference::Drive PolicyBench::drive() const {
  const double turn_ticks = rotation_.period_tick64 / 64.0;
  const auto seek_ticks = [this](std::uint32_t distance) {
    return table_->pool[table_->seek_table + distance] / double{DRIVE_DESIGN_TICK_PARTS};
  };
  const double mean_access_ticks =
      table_->mean_seek_part / double{DRIVE_DESIGN_TICK_PARTS} + turn_ticks / 2;
  return {table_->cylinders, turn_ticks, seek_ticks, mean_access_ticks, predictor_.margin_tick};
}

drive::Design hundred_cylinders(std::uint32_t cylinders, double ms_per_cylinder) {
  drive::Design design = small_design();
  design.cylinders = cylinders;
  design.seek.pieces = {{cylinders - 1, 2.0, 0, ms_per_cylinder, 0}};
  design.zones[0].last_cylinder = cylinders - 1;
  return design;
}

drive::Design without_angles() {
  drive::Design design = hundred_cylinders();
  design.rotational_latency = drive::RotationalLatency::kMean;
  return design;
}

}  // namespace headstack::test
