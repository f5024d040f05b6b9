// SPDX-License-Identifier: Apache-2.0
// The firmware's target and device server between two fakes. The fake bus plays the initiator byte
// by byte and logs every phase. The fake core stands for the modules of `transfer/`, and logs every
// call of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include "firmware/device/buffers.h"
#include "firmware/device/command_table.h"
#include "firmware/device/task_management.h"
#include "firmware/drive_design.h"
#include "firmware/events.h"
#include "firmware/hal/timer_hal.h"
#include "firmware/hal/trace_port_hal.h"
#include "firmware/motion/defect_list.h"
#include "firmware/queue/scheduler.h"
#include "firmware/remap/learn.h"
#include "firmware/target/connection.h"
#include "firmware/target/message.h"
#include "firmware/target/target.h"
#include "firmware/transfer/bus_holder.h"
#include "firmware/transfer/host_events.h"
#include "firmware/transfer/host_side.h"
#include "firmware/transfer/media.h"
#include "firmware/transfer/remap.h"
#include "firmware/transfer/scan.h"
#include "firmware/transfer/service.h"
#include "firmware/transfer/service_times.h"
}

namespace headstack::firmware {

using Bytes = std::vector<uint8_t>;

// Bytes as text: "C0 20 05".
std::string hex(const Bytes& bytes);
// The bytes of a text by hex().
Bytes parse_hex(const std::string& text);

// The bus and the initiator. One line of `log` per phase or bus event:
//   SEL 7, RESEL 7, MO .., CO .., DO .., DI .., ST .., MI .., DMA-IN bytes, DMA-OUT bytes, ABORT,
//   FREE
class FakeBus {
 public:
  // The initiator's messages; ATN is asserted while there are any.
  std::deque<uint8_t> message_out;
  std::deque<uint8_t> command;
  std::deque<uint8_t> data_out;
  // Bytes from the initiator, counted over the run from 1, that arrive with bad parity.
  std::vector<uint64_t> damaged_bytes;
  bool damage_dma = false;
  bool hold_dma = false;                // DMA transfers wait for finish_dma()
  bool aborts_end_reselections = true;  // false: answer_late() may follow
  bool answer_reselect = true;
  bool lose_arbitration = false;
  bool with_attention = true;  // select with ATN
  // Called for the initiator's reaction to a MESSAGE IN phase.
  std::function<void(const Bytes&)> on_message_in;
  std::function<void(uint8_t)> on_status;

  std::vector<std::string> log;
  scsi_agreement agreement{};

  void select(uint8_t initiator);
  // Completes operations, one event each, until there is nothing under way.
  void run();
  void finish_dma(uint32_t residue);
  void reset();
  // The connection of the messages was replaced by another, selected after a reset that still
  // waits.
  void take_nothing() { takes_ = false; }
  // The initiator answers a reselection late, after the abort, which has emptied the FIFO.
  void answer_late();
  // Another device won the arbitration; the event comes with its action.
  void abandon_reselection() {
    operation_ = Operation::kNone;
    fifo_.clear();
  }
  void deliver(uint32_t events);
  // Takes the log.
  std::vector<std::string> take_log();

  // Functions for the driver.
  void start_transfer(scsi_phase phase, uint32_t count, bool dma);
  void receive_whole(scsi_phase phase);
  void send_last(uint32_t count);
  void send_status(uint8_t status, uint8_t message);
  bool sent_message() const { return phase_ == SCSI_PHASE_MESSAGE_IN; }
  bool takes() const { return takes_; }
  scsi_taken taken() const {
    return {phase_ == SCSI_PHASE_COMMAND, static_cast<uint8_t>(taken_messages_),
            static_cast<uint8_t>(fifo_.size())};
  }
  void push(uint8_t byte) { fifo_.push_back(byte); }
  uint8_t pop();
  void reselect(uint8_t initiator);
  void release();
  void abort();
  uint32_t residue() const { return residue_; }
  uint64_t bytes_seen() const { return bytes_seen_; }
  bool attention() const { return !message_out.empty(); }
  bool connected() const { return connected_; }
  uint8_t initiator() const { return initiator_; }

  target* layer = nullptr;

 private:
  enum class Operation { kNone, kTransfer, kReselect, kRelease };
  void note(const std::string& phase, const Bytes& bytes);
  uint32_t whole_bytes(const std::deque<uint8_t>& source) const;
  uint32_t take_from_initiator(std::deque<uint8_t>& source, const char* phase);
  uint32_t complete_transfer();
  uint32_t send_messages();
  uint32_t complete_reselection();
  uint32_t take();
  uint32_t complete();

  Operation operation_ = Operation::kNone;
  scsi_phase phase_ = SCSI_PHASE_DATA_OUT;
  uint32_t count_ = 0;
  bool dma_ = false;
  bool whole_ = false;      // ends after a command, or after a message that may be rejected
  bool takes_ = false;      // the firmware takes the bytes after this selection
  bool took_last_ = false;  // Every other selection is taken; the rest are as after a reset.
  size_t taken_messages_ = 0;
  bool then_release_ = false;  // ends with bus free, unless ATN is asserted
  bool then_message_ = false;  // also ends so, after a message from the FIFO
  uint32_t residue_ = 0;
  std::deque<uint8_t> fifo_;
  Bytes sent_messages_;  // of this MESSAGE OUT phase: sent again if the target requests it
  uint64_t bytes_seen_ = 0;
  bool connected_ = false;
  uint8_t initiator_ = 0;
};

// Calls of the modules below the device server, and the test's answers.
struct FakeCore {
  std::vector<task*> arrived;
  std::vector<time_tick> received;  // for each of them, when the command was there
  std::vector<task*> replies;       // tasks with TASK_REPLY
  uint32_t cylinder_blocks = 200;
  std::vector<task*> enabled;
  std::vector<task*> withdrawn;
  std::vector<task*> aborted;
  std::vector<uint16_t> ended_tags;
  std::vector<uint32_t> begun_blocks;
  std::vector<uint32_t> moved_blocks;
  uint32_t left_before = 0;  // the task's host_blocks_left before the current data phase
  std::vector<std::pair<uint32_t, uint32_t>> events;  // stores to the trace port
  uint32_t modes_changed = 0;
  uint32_t resumed = 0;
  uint64_t now_ticks = 0;
  uint64_t ticks_per_look = 0;  // The firmware takes time between two looks at the timer.
  bool reset_waits = false;     // RST was asserted, and its event is still to come
  uint32_t ready = UINT32_MAX;  // answer of host_side_ready(), at most what is granted
  bool may_return = true;       // answer of host_side_may_return()
  bool may_begin_data = true;   // answer of bus_holder_may_begin_data()
  bool lets_go = true;          // answer of service_tasks_abort()
  bus_hold hold = BUS_HOLD_SERVED;
  bool turns_away = false;
  bool limits_fit = true;  // answer of time_limits_add()
  struct Limited {
    task* which;
    duration_limits limits;
    time_tick arrived;
  };
  std::vector<Limited> limited;
  uint32_t cache_blocks = 200;  // room for cache segments, in all
  uint8_t policy_count = 3;
  uint32_t scheduler_fault = 0;  // byte of the scheduler page
  target* layer = nullptr;
  // Defects: 100 cylinders, 4 heads, 50 sectors of 600 raw bytes, numbered in this order.
  std::vector<defect_place> primary;
  bool checks_order = true;            // whether the order of requested entries is checked
  mutable uint32_t primary_asked = 0;  // entries that the command has made
  std::vector<defect_place> grown;
  uint32_t policy_counter_count = 0;
  std::map<uint32_t, std::vector<uint8_t>> buffers;  // by id
  struct BufferWrite {
    uint32_t id, offset, count;
  };
  std::vector<BufferWrite> buffer_writes;
  buffer_written buffer_answer = BUFFER_TAKEN;
  uint32_t buffer_bad = 0;
  uint32_t progress = 0;
  uint32_t minutes = 0;  // since power-on
  uint32_t scan_progress = 0;
  std::function<void(task*)> on_arrived;
  std::function<void(task*)> on_enabled;
  std::function<void(task*, uint32_t)> on_moved;
  std::function<void(task*)> on_ended;
  std::function<uint32_t(const task*)> on_ready;  // in place of `ready`

  // Modules that are read as they are.
  drive_design design{};
  defect_list defects{};
  ::policy policy{};
  ::scheduler scheduler{};
  ::media media{};
  ::service_times service_times{};
  ::remap remap{};
  ::scan scan{};
  ::learn learn{};
  ::service service{};
  ::host_side host_side{};
  ::cache cache{};

  // Makes the numbers of defects those of `primary` and `grown`.
  void count_defects();
};

class ScsiFixture : public ::testing::Test {
 protected:
  static constexpr uint32_t kBlocks = 100000;
  static constexpr uint8_t kHost = 7;
  static constexpr uint8_t kOther = 6;
  static constexpr uint16_t kTaskLimit = 8;

  void SetUp() override;
  void TearDown() override;
  void power_on();
  // Makes the drive ready, without a unit attention for any host.
  void make_ready();

  // Executes one command without a bus. Data goes to `data`.
  command_result execute(const Bytes& cdb, uint8_t initiator = kHost,
                         task_attribute attribute = TASK_SIMPLE, uint16_t tag = 1, uint8_t lun = 0);
  command_result finish(const Bytes& list);
  // "key/asc/ascq" of the last command's sense.
  std::string sense_text() const;
  Bytes reply() const { return Bytes(data_, data_ + command_.data_count); }

  // Runs a whole connection: selection, messages, command, as far as it proceeds without help.
  std::vector<std::string> connect(const Bytes& messages, const Bytes& cdb,
                                   uint8_t initiator = kHost);
  // The result of REQUEST SENSE over the bus: "key/asc/ascq".
  std::string request_sense(uint8_t initiator = kHost);
  Bytes last_data_in() const;

  FakeCore core_;
  std::unique_ptr<task_set> task_memory_ = std::make_unique<task_set>();
  unit_config config_{};
  task_set& tasks_ = *task_memory_;
  alarms alarms_{};
  std::unique_ptr<target> target_ = std::make_unique<target>();
  FakeBus bus_;
  command command_{};
  Bytes cdb_;
  uint8_t data_[DEVICE_DATA_BYTES]{};
  std::vector<std::string> last_log_;
};

// The fixture, ready and without unit attentions, with functions for the core's answers and the
// initiator's reactions.
class ScsiBusFixture : public ScsiFixture {
 protected:
  using Lines = std::vector<std::string>;

  void SetUp() override;
  // Each of these functions runs the bus until it is idle, and returns the transcript.
  Lines grant(task* task, uint32_t blocks);
  Lines end(task* task, status status = STATUS_OK, uint32_t lba = 0);
  // MODE SELECT(6) of one page.
  Lines mode_select(const Bytes& page);
  // The initiator asserts ATN while the drive waits.
  Lines attention(const Bytes& messages);
  // The initiator answers the next MESSAGE IN phase that begins with `first`.
  void answer_message(uint8_t first, const Bytes& messages);
  // The task that came last.
  task* last() { return core_.arrived.back(); }
};

// "5/24/00" of 18 bytes of sense data.
std::string sense_key_text(const Bytes& sense);

}  // namespace headstack::firmware
