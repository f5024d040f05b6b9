// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/scsi_fixture.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "firmware/device/command_rows.h"

namespace headstack::firmware {
namespace {

// The bus that the driver's C functions access.
FakeBus* current_bus = nullptr;
FakeCore* current_core = nullptr;

}  // namespace

Bytes parse_hex(const std::string& text) {
  Bytes bytes;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    bytes.push_back(static_cast<uint8_t>(std::strtoul(word.c_str(), nullptr, 16)));
  }
  return bytes;
}

std::string hex(const Bytes& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02X", byte);
    text += (text.empty() ? "" : " ") + std::string(digits);
  }
  return text;
}

std::string sense_key_text(const Bytes& sense) {
  char text[16];
  std::snprintf(text, sizeof text, "%X/%02X/%02X", sense.at(2) & 0xF, sense.at(12), sense.at(13));
  return text;
}

// Operations of one phase are one line.
void FakeBus::note(const std::string& phase, const Bytes& bytes) {
  if (!log.empty() && log.back().rfind(phase + " ", 0) == 0 && phase != "MI") {
    log.back() += " " + hex(bytes);
  } else {
    log.push_back(phase + " " + hex(bytes));
  }
}

void FakeBus::select(uint8_t initiator) {
  ASSERT_FALSE(connected_);
  connected_ = true;
  initiator_ = initiator;
  log.push_back("SEL " + std::to_string(initiator));
  took_last_ = takes_ = !took_last_;
  deliver(SCSI_EVENT_SELECTED | (takes_ ? take() : 0U));
}

// Messages, and the command after those that need no answer: IDENTIFY, or IDENTIFY and a tag
// (SCSI-2 6.6.7, 6.6.17), with ATN false.
uint32_t FakeBus::take() {
  fifo_.clear();
  dma_ = then_release_ = then_message_ = false;
  whole_ = true;
  count_ = SCSI_TARGET_FIFO_BYTES;
  taken_messages_ = 0;
  if (with_attention) {
    phase_ = SCSI_PHASE_MESSAGE_OUT;
    const uint32_t event = take_from_initiator(message_out, "MO");
    taken_messages_ = fifo_.size();
    const bool is_identify = taken_messages_ > 0 && fifo_[0] >= 0x80 && (fifo_[0] & 0x38) == 0;
    const bool is_tag = taken_messages_ == 3 && fifo_[1] >= 0x20 && fifo_[1] <= 0x22;
    const bool is_plain = is_identify && (taken_messages_ == 1 || is_tag);
    if (event != SCSI_EVENT_TRANSFER_DONE || attention() || !is_plain) return event;
    sent_messages_.clear();
  }
  phase_ = SCSI_PHASE_COMMAND;
  count_ = static_cast<uint32_t>(SCSI_TARGET_FIFO_BYTES - fifo_.size());
  return take_from_initiator(command, "CO");
}

void FakeBus::deliver(uint32_t events) { target_on_events(layer, events); }

void FakeBus::run() {
  while (operation_ != Operation::kNone) {
    if (operation_ == Operation::kTransfer && dma_ && hold_dma) return;
    if (operation_ == Operation::kReselect && !answer_reselect && !lose_arbitration) return;
    deliver(complete());
  }
}

void FakeBus::finish_dma(uint32_t residue) {
  ASSERT_TRUE(operation_ == Operation::kTransfer && dma_);
  operation_ = Operation::kNone;
  residue_ = residue;
  deliver(SCSI_EVENT_TRANSFER_DONE);
  run();
}

void FakeBus::reset() {
  connected_ = takes_ = false;
  operation_ = Operation::kNone;
  message_out.clear();
  log.push_back("RST");
  deliver(SCSI_EVENT_BUS_RESET);
}

std::vector<std::string> FakeBus::take_log() { return std::exchange(log, {}); }

uint32_t FakeBus::complete() {
  const Operation operation = std::exchange(operation_, Operation::kNone);
  switch (operation) {
    case Operation::kTransfer: return complete_transfer();
    case Operation::kReselect: return complete_reselection();
    case Operation::kRelease:
      connected_ = takes_ = false;
      sent_messages_.clear();
      log.push_back("FREE");
      return SCSI_EVENT_DISCONNECTED;
    case Operation::kNone: break;
  }
  return 0;
}

// The bytes that one transfer takes. COMMAND: a whole command (SPC-2 7.1). MESSAGE OUT: up to the
// end of the first message that is no plain IDENTIFY (SCSI-2 table 10; 6.6.7).
uint32_t FakeBus::whole_bytes(const std::deque<uint8_t>& source) const {
  if (source.empty()) return 0;
  if (phase_ == SCSI_PHASE_COMMAND) return command_cdb_bytes(source.front());
  uint32_t count = 0;
  while (count < source.size() && source[count] >= 0x80 && (source[count] & 0x38) == 0) ++count;
  if (count == source.size()) return count;
  const uint8_t code = source[count];
  if (code == 0x01 && count + 1 < source.size()) {
    return count + 2 + (source[count + 1] == 0 ? 256U : source[count + 1]);
  }
  return count + (code >= 0x20 && code <= 0x2F ? 2 : 1);
}

// SCSI-2 6.1.9.2: a target that asks for messages when ATN is down gets those of this phase again.
uint32_t FakeBus::take_from_initiator(std::deque<uint8_t>& source, const char* phase) {
  Bytes bytes;
  bool damaged = false;
  const uint32_t most = whole_ ? std::min(count_, whole_bytes(source)) : count_;
  while (bytes.size() < most && !source.empty() && !damaged) {
    bytes.push_back(source.front());
    fifo_.push_back(source.front());
    source.pop_front();
    ++bytes_seen_;
    damaged = std::count(damaged_bytes.begin(), damaged_bytes.end(), bytes_seen_) != 0;
  }
  note(phase, bytes);
  if (phase_ == SCSI_PHASE_MESSAGE_OUT) {
    sent_messages_.insert(sent_messages_.end(), bytes.begin(), bytes.end());
  }
  residue_ = count_ - static_cast<uint32_t>(bytes.size());
  return damaged ? SCSI_EVENT_PARITY_ERROR : SCSI_EVENT_TRANSFER_DONE;
}

uint32_t FakeBus::complete_transfer() {
  residue_ = 0;
  if (dma_) {
    if (damage_dma) residue_ = count_ - 1;
    return damage_dma ? SCSI_EVENT_PARITY_ERROR : SCSI_EVENT_TRANSFER_DONE;
  }
  if (phase_ == SCSI_PHASE_MESSAGE_OUT) {
    if (message_out.empty()) {
      message_out.assign(sent_messages_.begin(), sent_messages_.end());
      sent_messages_.clear();
    }
    return take_from_initiator(message_out, "MO");
  }
  sent_messages_.clear();  // any other phase means that the messages were received well
  if (phase_ == SCSI_PHASE_COMMAND) return take_from_initiator(command, "CO");
  if (phase_ == SCSI_PHASE_DATA_OUT) return take_from_initiator(data_out, "DO");
  EXPECT_EQ(fifo_.size(), count_ + (then_message_ ? 1 : 0)) << "FIFO and TRANSFER.count differ";
  if (phase_ == SCSI_PHASE_MESSAGE_IN) return send_messages();
  const Bytes bytes(fifo_.begin(), fifo_.begin() + count_);
  fifo_.erase(fifo_.begin(), fifo_.begin() + count_);
  if (phase_ == SCSI_PHASE_DATA_IN) note("DI", bytes);
  if (phase_ == SCSI_PHASE_STATUS) {
    note("ST", bytes);
    if (on_status) on_status(bytes.at(0));
    if (then_message_ && !attention()) {
      phase_ = SCSI_PHASE_MESSAGE_IN;
      then_release_ = true;
      return send_messages();
    }
  }
  return SCSI_EVENT_TRANSFER_DONE;
}

// Sends all bytes of the FIFO.
uint32_t FakeBus::send_messages() {
  const Bytes bytes(fifo_.begin(), fifo_.end());
  fifo_.clear();
  note("MI", bytes);
  if (on_message_in) on_message_in(bytes);
  if (!then_release_ || attention()) return SCSI_EVENT_TRANSFER_DONE;
  operation_ = Operation::kRelease;
  return complete();
}

// RESELECTED does not interrupt by itself: the messages have passed before the firmware gets its
// event.
uint32_t FakeBus::complete_reselection() {
  if (lose_arbitration) {
    lose_arbitration = false;
    fifo_.clear();
    return SCSI_EVENT_ARBITRATION_LOST;
  }
  connected_ = true;
  sent_messages_.clear();
  log.push_back("RESEL " + std::to_string(initiator_));
  phase_ = SCSI_PHASE_MESSAGE_IN;
  then_release_ = false;
  const uint32_t sent = fifo_.empty() ? uint32_t{SCSI_EVENT_TRANSFER_DONE} : send_messages();
  return SCSI_EVENT_RESELECTED | sent;
}

void FakeBus::start_transfer(scsi_phase phase, uint32_t count, bool dma) {
  EXPECT_TRUE(operation_ == Operation::kNone) << "started while busy";
  EXPECT_TRUE(connected_) << "transfer on a free bus";
  EXPECT_TRUE(dma || count <= SCSI_TARGET_FIFO_BYTES);
  EXPECT_GE(count, 1U) << "a transfer of nothing";
  operation_ = Operation::kTransfer;
  phase_ = phase;
  count_ = count;
  dma_ = dma;
  whole_ = then_release_ = then_message_ = false;
  if (!dma) return;
  const char* name = phase == SCSI_PHASE_DATA_IN ? "DMA-IN " : "DMA-OUT ";
  log.push_back(name + std::to_string(count));
}

void FakeBus::receive_whole(scsi_phase phase) {
  start_transfer(phase, SCSI_TARGET_FIFO_BYTES, false);
  whole_ = true;
}

void FakeBus::send_last(uint32_t count) {
  start_transfer(SCSI_PHASE_MESSAGE_IN, count, false);
  then_release_ = true;
}

void FakeBus::send_status(uint8_t status, uint8_t message) {
  push(status);
  push(message);
  start_transfer(SCSI_PHASE_STATUS, 1, false);
  then_message_ = true;
}

uint8_t FakeBus::pop() {
  if (fifo_.empty()) return 0;
  const uint8_t byte = fifo_.front();
  fifo_.pop_front();
  return byte;
}

void FakeBus::reselect(uint8_t initiator) {
  EXPECT_TRUE(operation_ == Operation::kNone) << "started while busy";
  EXPECT_FALSE(connected_) << "reselection while connected";
  operation_ = Operation::kReselect;
  initiator_ = initiator;
}

void FakeBus::release() {
  EXPECT_TRUE(operation_ == Operation::kNone) << "started while busy";
  operation_ = Operation::kRelease;
}

// A transfer stops where finish_dma() says; a reselection without answer times out. With nothing
// under way it empties the FIFO, and the bus sees nothing.
void FakeBus::abort() {
  if (operation_ == Operation::kNone) {
    fifo_.clear();
    return;
  }
  log.push_back("ABORT");
  if (operation_ != Operation::kReselect) return;
  fifo_.clear();
  if (!aborts_end_reselections) return;
  operation_ = Operation::kNone;
  deliver(SCSI_EVENT_RESELECT_TIMEOUT);
}

void FakeBus::answer_late() {
  ASSERT_TRUE(operation_ == Operation::kReselect);
  operation_ = Operation::kNone;
  deliver(complete_reselection());
  run();
}

namespace {

// The core's functions for the task set.
void on_enabled(void* context, task* task) {
  auto* core = static_cast<FakeCore*>(context);
  core->enabled.push_back(task);
  if (core->on_enabled) core->on_enabled(task);
}
void on_withdrawn(void* context, task* task) {
  static_cast<FakeCore*>(context)->withdrawn.push_back(task);
}
void on_goes_on(void* /*context*/, bool /*withdraws*/) { FAIL() << "so few tasks take one slice"; }
constexpr task_set_listener kListener = {on_enabled, on_withdrawn, on_goes_on};

}  // namespace

void ScsiFixture::SetUp() {
  config_.block_count = kBlocks;
  config_.block_bytes = 512;
  config_.cylinders = 1234;
  config_.heads = 5;
  config_.rotation_rpm = 7200;
  config_.sectors_per_track = 99;
  config_.cache_segment_blocks = 50;
  config_.scsi_version = UNIT_VERSION_2;
  config_.own_id = 0;
  config_.default_policy = 1;
  config_.default_margin_us = 50;
  config_.suspend_ms = 17;
  std::memcpy(config_.vendor, "HEADSTCK", 8);
  std::memcpy(config_.product, "TEST DRIVE      ", 16);
  std::memcpy(config_.revision, "0001", 4);
  std::memcpy(config_.serial, "SN0000000042", 12);
  bus_.layer = target_.get();
  current_bus = &bus_;
  current_core = &core_;
  core_.layer = target_.get();
  power_on();
}

void FakeCore::count_defects() {
  design.defect_descriptors = static_cast<uint32_t>(primary.size());
  defects.count = static_cast<uint32_t>(grown.size());
}

void ScsiFixture::power_on() {
  alarms_init(&alarms_);
  task_set_init(&tasks_, kTaskLimit, 0, &kListener, &core_);
  core_.scheduler.policy = &core_.policy;
  core_.scheduler.best_effort_most = UINT32_MAX;
  target_->parts.service = target_->device.parts.service = &core_.service;
  target_->parts.host_side = &core_.host_side;
  target_->parts.cache = &core_.cache;
  device_parts& parts = target_->device.parts;
  parts.design = &core_.design;
  parts.defects = &core_.defects;
  parts.media = &core_.media;
  parts.scheduler = &core_.scheduler;
  parts.service_times = &core_.service_times;
  parts.remap = &core_.remap;
  parts.scan = &core_.scan;
  parts.learn = &core_.learn;
  const agreement_limits bus = agreement_limits_of(16, 100, 15);
  target_init(target_.get(), &config_, &bus, &tasks_, &alarms_);
  host_modes_changed(target_.get());
  core_.modes_changed = 0;
}

void ScsiFixture::TearDown() { current_bus = nullptr; }

void ScsiFixture::make_ready() {
  host_medium_ready(target_.get(), SENSE_NONE);
  for (nexus& nexus : target_->device.nexus) nexus.attentions = 0;
}

command_result ScsiFixture::execute(const Bytes& cdb, uint8_t initiator, task_attribute attribute,
                                    uint16_t tag, uint8_t lun) {
  cdb_ = cdb;
  command_ = command{};
  command_.cdb = cdb_.data();
  command_.initiator = initiator;
  command_.lun = lun;
  command_.attribute = static_cast<uint8_t>(attribute);
  command_.tag = attribute == TASK_UNTAGGED ? uint16_t{0} : tag;
  command_.data = data_;
  command_.received_tick = core_.now_ticks;
  return command_execute(&target_->device, &command_);
}

command_result ScsiFixture::finish(const Bytes& list) {
  std::copy(list.begin(), list.end(), data_);
  command_.data_count = static_cast<uint32_t>(list.size());
  return command_finish(&target_->device, &command_);
}

std::string ScsiFixture::sense_text() const {
  Bytes bytes(SENSE_BYTES);
  sense_put_fixed(&command_.sense, bytes.data());
  return sense_key_text(bytes);
}

std::vector<std::string> ScsiFixture::connect(const Bytes& messages, const Bytes& cdb,
                                              uint8_t initiator) {
  bus_.message_out.assign(messages.begin(), messages.end());
  bus_.command.assign(cdb.begin(), cdb.end());
  bus_.select(initiator);
  bus_.run();
  last_log_ = bus_.take_log();
  return last_log_;
}

Bytes ScsiFixture::last_data_in() const {
  for (const std::string& line : last_log_) {
    if (line.rfind("DI ", 0) == 0) return parse_hex(line.substr(3));
  }
  return {};
}

std::string ScsiFixture::request_sense(uint8_t initiator) {
  connect({0xC0}, {0x03, 0, 0, 0, SENSE_BYTES, 0}, initiator);
  const Bytes sense = last_data_in();
  return sense.size() == SENSE_BYTES ? sense_key_text(sense) : "none";
}

void ScsiBusFixture::SetUp() {
  ScsiFixture::SetUp();
  make_ready();
}

ScsiBusFixture::Lines ScsiBusFixture::mode_select(const Bytes& page) {
  constexpr std::size_t kHeaderBytes = 4;
  bus_.data_out.assign(kHeaderBytes, 0);
  bus_.data_out.insert(bus_.data_out.end(), page.begin(), page.end());
  const auto length = static_cast<std::uint8_t>(bus_.data_out.size());
  return connect({0xC0}, {0x15, 0x10, 0, 0, length, 0});
}

ScsiBusFixture::Lines ScsiBusFixture::grant(task* task, uint32_t blocks) {
  host_task_granted(target_.get(), task, blocks);
  bus_.run();
  return bus_.take_log();
}

ScsiBusFixture::Lines ScsiBusFixture::end(task* task, status status, uint32_t lba) {
  host_task_finished(target_.get(), task, status, lba);
  bus_.run();
  return bus_.take_log();
}

ScsiBusFixture::Lines ScsiBusFixture::attention(const Bytes& messages) {
  bus_.message_out.assign(messages.begin(), messages.end());
  bus_.deliver(SCSI_EVENT_ATTENTION);
  bus_.run();
  return bus_.take_log();
}

void ScsiBusFixture::answer_message(uint8_t first, const Bytes& messages) {
  bus_.on_message_in = [this, first, messages](const Bytes& message) {
    if (message[0] != first) return;
    bus_.message_out.assign(messages.begin(), messages.end());
    bus_.on_message_in = nullptr;
  };
}

}  // namespace headstack::firmware

using headstack::firmware::current_bus;
using headstack::firmware::current_core;
using headstack::firmware::FakeCore;

extern "C" {

void scsi_target_hal_enable(uint8_t) {}
uint32_t scsi_target_hal_take_events() { return 0; }
void scsi_target_hal_start_transfer(scsi_phase phase, uint32_t count, bool dma) {
  current_bus->start_transfer(phase, count, dma);
}
void scsi_target_hal_receive_whole(scsi_phase phase) { current_bus->receive_whole(phase); }
void scsi_target_hal_send_last(uint32_t count) { current_bus->send_last(count); }
void scsi_target_hal_send_status(uint8_t status, uint8_t message) {
  current_bus->send_status(status, message);
}
bool scsi_target_hal_takes() { return current_bus->takes(); }
scsi_taken scsi_target_hal_taken() { return current_bus->taken(); }
bool scsi_target_hal_sent_message() { return current_bus->sent_message(); }
uint32_t scsi_target_hal_residue() { return current_bus->residue(); }
void scsi_target_hal_push(uint8_t byte) { current_bus->push(byte); }
uint8_t scsi_target_hal_pop() { return current_bus->pop(); }
void scsi_target_hal_reselect(uint8_t initiator) { current_bus->reselect(initiator); }
void scsi_target_hal_release() { current_bus->release(); }
void scsi_target_hal_abort() { current_bus->abort(); }
void scsi_target_hal_set_agreement(const scsi_agreement* agreement) {
  current_bus->agreement = *agreement;
}
bool scsi_target_hal_attention() { return current_bus->attention(); }
bool scsi_target_hal_selected_with_attention() { return current_bus->with_attention; }
bool scsi_target_hal_connected() { return current_bus->connected(); }
uint8_t scsi_target_hal_initiator() { return current_bus->initiator(); }
bool scsi_target_hal_reset_waits() { return current_core->reset_waits; }
time_tick timer_hal_now() {
  const time_tick now = current_core->now_ticks;
  current_core->now_ticks += current_core->ticks_per_look;
  return now;
}
void timer_hal_start(time_tick) {}
void timer_hal_stop() {}

// Only the trace port is written: one register per event (hdl/regs/trace_port.rdl).
void hal_write32(uint32_t address, uint32_t value) {
  current_core->events.emplace_back((address - HAL_BASE_TRACE_PORT) / 4, value);
}
uint32_t hal_read32(uint32_t) { return 0; }

// The modules of `transfer/`.

uint32_t host_side_ready(const host_side*, const task* task) {
  const FakeCore& core = *current_core;
  return std::min(core.on_ready ? core.on_ready(task) : core.ready, task->host_blocks_granted);
}
bool host_side_brings_all(const host_side*, const task*) { return false; }
bool bus_holder_may_begin_data(const bus_holder*, const task*, bool) {
  return current_core->may_begin_data;
}
bool host_side_may_return(const host_side* host, const task* task, const mode_disconnect*) {
  return current_core->on_ready ? host_side_ready(host, task) > 0 : current_core->may_return;
}
void service_tasks_reply_arrived(const service*, task* task) {
  current_core->replies.push_back(task);
}
uint32_t geometry_last_of_cylinder(const drive_design*, uint32_t lba) {
  const uint32_t blocks = current_core->cylinder_blocks;
  return lba + blocks - 1 - lba % blocks;
}
void service_tasks_arrived(service*, task* task, time_tick received) {
  current_core->arrived.push_back(task);
  current_core->received.push_back(received);
  if (current_core->on_arrived) current_core->on_arrived(task);
}
bool time_limits_add(time_limits*, task* task, const duration_limits* limits, time_tick arrived) {
  if (!current_core->limits_fit) return false;
  current_core->limited.push_back({task, *limits, arrived});
  return true;
}
bool service_tasks_abort(service*, task* task) {
  current_core->aborted.push_back(task);
  return current_core->lets_go;
}
void host_side_begin_transfer(host_side*, task*, uint32_t blocks) {
  current_core->begun_blocks.push_back(blocks);
  current_core->left_before = current_core->layer->connection.task->host_blocks_left;
}
void service_tasks_transfer_end(service*, task* task) {
  const uint32_t blocks = current_core->left_before - task->host_blocks_left;
  current_core->moved_blocks.push_back(blocks);
  if (current_core->on_moved) current_core->on_moved(task, blocks);
}
void service_tasks_ended(service*, task* task) {
  current_core->ended_tags.push_back(task->tag);
  if (current_core->on_ended) current_core->on_ended(task);
  maintenance_order& order = current_core->layer->device.unit.maintenance;
  if (order.task == task) order.task = nullptr;
}
bus_hold service_tasks_hold_bus(service*, task*) { return current_core->hold; }
void service_tasks_release_bus(service*) {}
void service_tasks_suspended(service*) {}
void service_tasks_purge_begins(service*) {}
void service_tasks_purge_ended(service*) {}
void service_tasks_resumed(service*) { ++current_core->resumed; }
bool bus_holder_is_waited_for(const bus_holder*) { return current_core->turns_away; }
uint32_t segments_slot_limit(const segments*, uint32_t segments) {
  return current_core->cache_blocks / segments;
}
void modes_apply(const mode_pages*, const modes_users*) { ++current_core->modes_changed; }
uint32_t modes_scheduler_fault(const mode_scheduler* wanted) {
  if (wanted->policy >= current_core->policy_count) return MODE_SCHEDULER_AT_POLICY;
  return current_core->scheduler_fault;
}

uint32_t service_tasks_progress(const service*) { return current_core->progress; }
uint32_t defect_data_sectors(const drive_design*, defect_format format, const uint8_t* descriptor,
                             uint32_t* first, uint32_t* count) {
  const auto be = [descriptor](size_t at, size_t bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value = value << 8 | descriptor[at + i];
    return value;
  };
  const uint32_t track = be(0, 3) * 4 + descriptor[3];
  if (be(0, 3) >= 100) return 0;
  if (descriptor[3] >= 4) return 3;
  uint32_t sector = be(4, 4);
  *count = sector == DEFECT_TRACK ? 50 : 1;
  if (sector == DEFECT_TRACK) sector = 0;
  if (format == DEFECT_BY_BYTES_FROM_INDEX) sector /= 600;
  if (sector >= 50) return 4;
  *first = track * 50 + sector;
  return DEFECT_FINE;
}
void defect_data_primary(const drive_design*, defect_cursor* cursor, uint32_t index,
                         defect_place* defect) {
  // A list begins anew, or its entries follow in order. An entry across two pieces is asked for
  // twice.
  FakeCore& core = *current_core;
  EXPECT_TRUE(!core.checks_order || index == 0 || index - cursor->before <= 1) << index;
  cursor->before = index;
  ++core.primary_asked;
  *defect = core.primary.at(index);
}
void defect_data_grown(const defect_list*, uint32_t index, defect_place* defect) {
  *defect = current_core->grown.at(index);
}
uint32_t policy_counter_count(const policy*) { return current_core->policy_counter_count; }
void scheduler_clear_counters(scheduler* scheduler) {
  for (uint32_t& counter : scheduler->counters) counter = 0;
}

uint32_t remap_mode_fault(const remap*, const mode_remap* wanted) {
  if (wanted->unit_blocks != 0 && current_core->buffers.empty()) return MODE_REMAP_AT_UNIT;
  return wanted->map > 2 ? MODE_REMAP_AT_MAP : 0;
}
uint32_t remap_units_fault(const remap*, const mode_remap*) { return 0; }
const remap_tally* remap_tally_now(remap* remap) { return &remap->tally; }
void remap_clear_tally(remap* remap) { remap->tally = {}; }
uint32_t scan_minutes() { return current_core->minutes; }
uint32_t scan_progress(const scan*) { return current_core->scan_progress; }
void scan_clear_results(scan* scan) { scan->result_count = 0; }
void learn_clear_gaps(learn* learn) { std::fill(std::begin(learn->gap), std::end(learn->gap), 0); }

uint32_t buffer_bytes(const device_parts*, uint32_t id) {
  const auto found = current_core->buffers.find(id);
  return found == current_core->buffers.end() ? 0 : static_cast<uint32_t>(found->second.size());
}
void buffer_read(const device_parts*, uint32_t id, uint32_t offset, uint8_t* bytes,
                 uint32_t count) {
  // device/buffers.h promises these conditions.
  ASSERT_EQ(offset % 2, 0U);
  ASSERT_EQ(count % 2, 0U);
  ASSERT_LE(offset + count, current_core->buffers.at(id).size());
  std::copy_n(current_core->buffers.at(id).begin() + offset, count, bytes);
}
buffer_written buffer_write(const device_parts*, uint32_t id, uint32_t offset, const uint8_t* bytes,
                            uint32_t count, uint32_t* bad) {
  FakeCore& core = *current_core;
  core.buffer_writes.push_back({id, offset, count});
  *bad = core.buffer_bad;
  if (core.buffer_answer == BUFFER_TAKEN) {
    std::copy_n(bytes, count, core.buffers.at(id).begin() + offset);
  }
  return core.buffer_answer;
}

}  // extern "C"
