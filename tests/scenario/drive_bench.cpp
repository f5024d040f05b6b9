// SPDX-License-Identifier: Apache-2.0
#include "tests/scenario/drive_bench.hpp"

#include <algorithm>
#include <stdexcept>

namespace headstack::scenario {

drive::DriveDescription small_drive() {
  drive::DriveDescription description;
  description.name = "Scenario Drive";
  drive::Design& design = description.design;
  design.rpm = 6000;
  design.heads = 2;
  design.cylinders = 60;
  design.head_switch_ms = 0.5;
  design.write_settle_ms = 0.3;
  design.spin_up_ms = 200;
  design.spin_down_ms = 100;
  design.buffer_bytes = 131'072;
  design.seek.pieces = {{59, 2.0, 0, 0.1, 0}};
  design.seek.coast_cylinders_per_ms = 30;
  design.bus = {16, 100, 15};
  drive::Zone outer;
  outer.last_cylinder = 29;
  outer.sectors_per_track = 20;
  outer.track_skew = 2;
  outer.cylinder_skew = 5;
  drive::Zone inner = outer;
  inner.first_cylinder = 30;
  inner.last_cylinder = 59;
  inner.sectors_per_track = 16;
  design.zones = {outer, inner};
  return description;
}

initiator::Config host_config(initiator::Agreement agreement, std::uint8_t id) {
  initiator::Config config;
  config.agreement = agreement;
  config.id = id;
  return config;
}

PlatformSetup DriveBench::plain_setup() {
  return {small_drive(), true, {host_config(initiator::kAsynchronous)}};
}

PlatformSetup DriveBench::fast_setup() {
  return {small_drive(), true, {host_config(initiator::kFast10Wide)}};
}

PlatformSetup DriveBench::stored_setup() {
  PlatformSetup setup = fast_setup();
  drive::Design& design = setup.description.design;
  design.sparing.location = drive::SpareLocation::kZoneEnd;
  design.zones[0].spares = 20;
  design.zones[0].store_sectors = 4;
  return setup;
}

void DriveBench::power_on(const Setup& setup) {
  host_count_ = setup.hosts.size();
  platform_ = make_platform(setup);
  capacity_ = static_cast<std::uint32_t>(platform_->geometry().capacity());
}

void DriveBench::power_on_ready(const Setup& setup) {
  power_on(setup);
  for (std::size_t host = 0; host < host_count_; ++host) {
    ASSERT_EQ(run(test_unit_ready(), host), "6/29/00") << "power-on: SPC-2 annex C, SCSI-2 7.9";
    ASSERT_EQ(run(test_unit_ready(), host), "GOOD");
  }
}

void DriveBench::TearDown() {
  if (platform_ == nullptr) return;
  run_for(kMillisecond);  // unexpected events have time to come
  EXPECT_EQ(platform_->exit_code(), std::nullopt) << "the firmware stopped";
  for (std::size_t i = 0; i < host_count_; ++i) {
    EXPECT_TRUE(host(i).idle()) << "host " << i << " still has outstanding commands";
  }
  EXPECT_EQ(platform_->phase(), bus::Phase::kBusFree);
  for (const bus::Violation& violation : platform_->violations()) {
    ADD_FAILURE() << bus::to_string(violation);
  }
}

DriveBench::Ticket DriveBench::submit(Command command, std::size_t host) {
  const Ticket ticket = results_.size();
  results_.emplace_back();
  command.done = [this, ticket](Completion completion) {
    results_[ticket] = std::move(completion);
    order_.push_back(ticket);
  };
  platform_->host(host).submit(std::move(command));
  return ticket;
}

DriveBench::Ticket DriveBench::manage(initiator::ManagementKind kind, std::uint16_t tag,
                                      std::size_t host) {
  const Ticket ticket = results_.size();
  results_.emplace_back();
  initiator::Management management;
  management.kind = kind;
  management.tag = tag;
  management.done = [this, ticket](Completion completion) {
    results_[ticket] = std::move(completion);
    order_.push_back(ticket);
  };
  platform_->host(host).manage(std::move(management));
  return ticket;
}

const Completion& DriveBench::await(Ticket ticket, Picoseconds limit) {
  run_until([&] { return is_done(ticket); }, limit);
  return result(ticket);
}

void DriveBench::await_all(Picoseconds limit) {
  run_until([&] { return order_.size() == results_.size(); }, limit);
}

Completion DriveBench::execute(Command command, std::size_t host) {
  return await(submit(std::move(command), host));
}

std::size_t DriveBench::place(Ticket ticket) const {
  return static_cast<std::size_t>(std::find(order_.begin(), order_.end(), ticket) - order_.begin());
}

void DriveBench::run_until(const std::function<bool()>& condition, Picoseconds limit,
                           Picoseconds step) {
  const Picoseconds end = platform_->now() + limit;
  while (!condition()) {
    if (platform_->exit_code()) throw std::runtime_error("the firmware stopped");
    if (platform_->now() >= end) throw std::runtime_error("waited in vain until the limit");
    run_for(step);
  }
}

void DriveBench::run_into(bus::Phase phase, Picoseconds and_for) {
  run_until([&] { return platform_->phase() == phase; }, kPatience, kMicrosecond);
  run_for(and_for);
}

media::SectorIndex DriveBench::index_of(std::uint32_t lba) {
  const geometry::Geometry& geometry = platform_->geometry();
  return geometry.sector_index(geometry.locate(lba).chs());
}

Bytes DriveBench::prepare(std::uint32_t lba, std::uint32_t count) {
  Bytes data = blocks_.write(lba, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    platform_->surface().media().write_formatted(index_of(lba + i), data.data() + i * kBlockBytes);
  }
  return data;
}

Bytes DriveBench::peek(std::uint32_t lba, std::uint32_t count) {
  Bytes data(count * kBlockBytes);
  for (std::uint32_t i = 0; i < count; ++i) {
    platform_->surface().media().peek(index_of(lba + i), data.data() + i * kBlockBytes, nullptr);
  }
  return data;
}

void DriveBench::expect_data(const Completion& completion, std::uint32_t lba, std::uint32_t count) {
  EXPECT_EQ(outcome(completion), "GOOD");
  const auto difference =
      blocks_.first_difference(completion.data, blocks_.expected(lba, count), lba);
  EXPECT_EQ(difference, std::nullopt);
}

void DriveBench::expect_reads_back(std::uint32_t lba, std::uint32_t count, std::size_t host) {
  expect_data(execute(read_10(lba, count), host), lba, count);
}

std::size_t DriveBench::expect_old_or_new(std::uint32_t lba, const Bytes& before,
                                          const Bytes& after) {
  const auto count = static_cast<std::uint32_t>(before.size() / kBlockBytes);
  const Bytes now = peek(lba, count);
  std::size_t renewed = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i * kBlockBytes);
    const auto same = [&](const Bytes& other) {
      return std::equal(now.begin() + at, now.begin() + at + kBlockBytes, other.begin() + at);
    };
    EXPECT_TRUE(same(before) || same(after)) << "block " << lba + i << " is torn";
    if (same(after)) ++renewed;
  }
  return renewed;
}

}  // namespace headstack::scenario
