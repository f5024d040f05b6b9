// SPDX-License-Identifier: Apache-2.0
/// @file
/// The SCSI target: hdl/scsi_target on the fast platform, by bus phases with computed times.
///
/// Registers: hdl/regs/scsi_target.rdl. Each event of INTR_STATE comes with the same clock edge as
/// in the RTL. Connections follow scsi_connect.sv state by state, transfers scsi_transfer.sv and
/// scsi_data_path.sv.
///
/// A transfer is computed when it starts, or when the host port lets it continue. Bytes of
/// messages, commands and status are computed one by one with the host adapter's logic, data phases
/// by TransactionStream. A transfer costs one alarm at its end, and one for each kChunkBytes of the
/// host port. That alarm is due at the edge at which the last of these bytes moves. Data moves
/// directly between the ring and the host adapter's command.
///
/// Bounds, against the RTL:
/// - An abort ends a data phase at the exact byte. A transfer of messages, command or status, or of
///   data through the FIFO, only ends at its end, microseconds later.
/// - During a data phase, STATUS.fifo_level shows 0 with the host port. Without it, it shows what
///   firmware has left in the FIFO, or given to it, and not the bytes on their way.
/// - Without a connection, STATUS.atn falls when a host adapter gives up a selection, and not at
/// the
///   end of its abort time.
/// - While a transfer is under way, RESIDUE may count a byte up to two clocks early.
/// - ATN that the host adapter raises on its own (for a management message) does not lengthen the
///   byte under way, by at most 90 ns.
///
/// Not modelled:
/// - the host port in phases other than data (asserted);
/// - parity errors in selection and reselection;
/// - a host channel that is disabled during a transfer, before the transfer's abort;
/// - ATN before the answer to a reselection, which no host adapter raises;
/// - pulses shorter than a clock.
#pragma once

#include <array>

#include "scsi_target_registers.hpp"
#include "sim/tlm/bus/transaction_bus.hpp"
#include "sim/tlm/bus/transaction_stream.hpp"
#include "sim/tlm/kernel/agenda.hpp"
#include "sim/tlm/kernel/ports.hpp"

namespace headstack::tlm {

class ScsiTarget final : public ScsiTargetRegisters<ScsiTarget>,
                         public TransactionTarget,
                         public HostPort::Listener {
 public:
  /// Most bytes that one alarm moves between ring and bus; the usual sector.
  static constexpr std::uint32_t kChunkBytes = 512;

  /// All arguments must outlive the block.
  ScsiTarget(TransactionBus& bus, HostPort& host, InterruptSink& interrupts);
  ~ScsiTarget() override { host_.listen(nullptr); }

 private:
  friend class ScsiTargetRegisters<ScsiTarget>;
  static constexpr std::uint32_t kFifoBytes = 16;
  static constexpr Picoseconds kFar = Agenda::kNever / 4;

  enum class State : std::uint8_t {  // scsi_connect.sv
    kFree,
    kAnswer,  // BSY asserted, the initiator still holds SEL
    kConnected,
    kRelease,   // releases, from the write of release, or the end of attempts, until the bus counts
                // as free
    kWaitFree,  // reselect: waits for the bus
    kArbitrate,  // arbitrates; also after winning, with the ids on the bus
    kReselect,   // waits for the answer
    kGiveUp,
    kTakeBsy,  // an answer has come: takes BSY over
  };

  // Registers.
  void on_write_ctrl(scsi_target_regs::Ctrl value);
  scsi_target_regs::Status on_read_status();
  void on_write_command(scsi_target_regs::Command value);
  void on_write_transfer(scsi_target_regs::Transfer) {}
  scsi_target_regs::Residue on_read_residue();
  scsi_target_regs::Fifo on_read_fifo();
  void on_write_fifo(scsi_target_regs::Fifo value);
  void on_write_agreement(scsi_target_regs::Agreement) {}
  void irq_changed(bool level) { interrupts_.interrupt_level(kLineScsiTarget, level); }

  // TransactionTarget.
  unsigned id() const override { return ctrl().own_id(); }
  bool wants() const override { return state_ == State::kWaitFree; }
  Picoseconds arbitration_at(Picoseconds free_since) const override;
  bool joins(Picoseconds busy) const override;
  void win(Picoseconds at) override;
  void lose(Picoseconds at) override;
  void select(TransactionLink& link) override;
  void deselect() override;
  void attention(bool raised, Picoseconds at) override;
  void reset_seen() override;

  void host_port_changed() override;

  // Connections: scsi_target.cpp.
  void run_connection();
  void start_reselect(unsigned initiator, Picoseconds at);
  void start_release(Picoseconds at);
  bool takes_commands() const { return ctrl().take_command() && !intr_state().bus_reset(); }
  bool takes_before(Picoseconds at) const;
  void abort(Picoseconds at);
  void offer_answer();
  void answer();
  void give_up(Picoseconds at);
  void let_go();
  void become_free();
  void become_connected();
  void raise_at(std::uint32_t events, Picoseconds at);
  void raise_late();
  void lose_messages();
  void raise_attention();
  void reset_connection();
  bool listens() const { return state_ == State::kFree || state_ == State::kWaitFree; }
  bool is_busy() const;

  // Transfers: scsi_target_transfer.cpp, scsi_target_data.cpp.
  /// How a transfer moves its bytes, and what follows it: the part of terms_q in scsi_transfer.sv.
  struct Terms {
    bool dma = false;
    bool whole = false;
    bool then_release = false;
    bool then_message = false;
    bool then_command = false;
  };
  void start_transfer(Picoseconds at);
  void send_messages(Picoseconds at, bool last);
  void take_messages(Picoseconds at);
  void take_command(Picoseconds at);
  void note_message(std::uint8_t byte, Picoseconds moved);
  std::uint32_t messages_by(Picoseconds at) const;
  bool command_may_follow() const;
  void set_count(bus::Phase phase, std::uint32_t count, Picoseconds at);
  void begin(bus::Phase phase, std::uint32_t count, const Terms& terms, Picoseconds at);
  Picoseconds settle(bus::Phase phase, Picoseconds at);
  void run_transfer();
  void finish_at(Picoseconds at);
  void finish();
  void stop_transfer(Picoseconds at);
  void move_by_hand();
  bool hand_byte();
  bool ends_item(std::uint8_t byte);
  void note_moved(Picoseconds at);

  void count_since_req(bus::Phase phase, Picoseconds at);
  void start_data();
  void fill_target_setup(StreamSetup* setup) const;
  void begin_stream(std::uint32_t bytes, Picoseconds from);
  void supply(TransactionStream& stream, std::uint32_t bytes, Picoseconds from) const;
  void extend(std::uint32_t bytes, Picoseconds from);
  void feed();
  void finish_chunk();
  void compute_units();
  bool pass_unit(std::uint32_t width);
  void data_by_hand();
  void report_moved();
  Picoseconds TransactionStream::Unit::*taken_with() const;
  TransactionStream replay(Picoseconds TransactionStream::Unit::*time, Picoseconds until) const;
  void stop_data(Picoseconds at);
  void pass_part(std::uint32_t supplied);
  /// Whether data moves directly between the ring and the host adapter's command.
  bool bulk() const { return place_ != nullptr || source_ != nullptr; }

  // The FIFO, byte by byte: a byte can be read from edge `since` on.
  struct FifoByte {
    std::uint8_t data = 0;
    Picoseconds since = 0;
  };
  void fifo_push(std::uint8_t byte, Picoseconds since);
  FifoByte fifo_pop();
  std::uint32_t fifo_level(Picoseconds at) const;
  void fifo_clear();

  enum class Move : std::uint8_t {
    kNone,
    kHand,      // messages, command, status: byte by byte
    kDataHand,  // data phase, byte by byte
    kData,      // data phase, host port
    kSilent,    // REQ is asserted, and no ACK will come
  };
  enum class Step : std::uint8_t { kChunk, kFinish };

  TransactionBus& bus_;
  const TransactionTiming& timing_;
  HostPort& host_;
  InterruptSink& interrupts_;

  // Connection.
  State state_ = State::kFree;
  Alarm connect_due_;
  Alarm answer_due_;
  Alarm attention_due_;
  Alarm reset_due_;
  Alarm event_due_;
  std::uint32_t late_events_ = 0;  // events that come with event_due_
  TransactionLink* selecting_ = nullptr;
  TransactionLink* link_ = nullptr;  // the link that is connected, or about to be
  Picoseconds free_from_ = 0;        // first edge from which it answers selections
  Picoseconds wait_from_ = 0;        // the reselection started with this edge
  Picoseconds ids_since_ = 0;        // reselection: when BSY was released
  Picoseconds answered_at_ = 0;      // when the initiator asserted BSY
  bool abort_ = false;
  bool releasing_ = false;  // the target has released the bus, but it is not free yet
  bool timed_out_ = false;
  bool with_attention_ = false;
  unsigned initiator_id_ = 0;

  // ATN: the level on the bus, and up to two changes that the registers do not show yet.
  struct Attention {
    Picoseconds at = bus::kNever;
    bool level = false;
  };
  std::array<Attention, 4> attention_{};  // the last changes, newest last
  bool attention_level(Picoseconds at) const;

  // Transfer.
  Move move_ = Move::kNone;
  Step step_ = Step::kFinish;
  Alarm transfer_due_;
  bus::Phase phase_ = bus::Phase::kDataOut;
  bus::Phase phase_before_ = bus::Phase::kDataOut;  // shown until the edge after a release
  bool takes_before_ = false;  // takes_ before a release, shown until the edge after it
  Picoseconds released_until_ = 0;
  bool settled_ = false;
  Terms terms_;
  bool wide_ = false;
  bool parity_error_ = false;
  bool stopped_ = false;  // the transfer was aborted
  // The last byte has moved: ATN was false at a message byte, or an item is whole.
  bool last_byte_ = false;
  bool takes_ = false;          // takes the messages and the command of this connection
  bool locked_ = false;         // locked until all received bytes have been read
  std::uint32_t opening_ = 0;   // (re)selection event that comes with the end of the transfer
  bool plain_ = false;          // the messages need no answer
  std::uint32_t messages_ = 0;  // bytes of the messages, those on their way included; 3 for more
  std::array<Picoseconds, 3> message_at_{};  // when each of the first messages' bytes was received
  Picoseconds messages_from_ = 0;            // edge until which STATUS shows messages_before_
  std::uint32_t messages_before_ = 0;        // count that STATUS shows until messages_from_
  enum class Item : std::uint8_t { kFirst, kLength, kRest };
  Item item_ = Item::kFirst;     // position of the next byte from the initiator
  std::uint32_t item_left_ = 0;  // bytes left of the item, in kRest
  std::uint32_t count_ = 0;
  std::uint32_t residue_ = 0;
  std::uint32_t residue_before_ = 0;  // residue that is shown until the operation starts
  Picoseconds operation_ = 0;         // edge at which the transfer started
  Picoseconds move_from_ = 0;         // edge at which the phase has settled
  Picoseconds next_req_ = 0;          // next REQ, in transfers byte by byte
  Picoseconds next_load_ = 0;
  Picoseconds room_from_ = 0;

  TransactionStream stream_;
  std::array<TransactionStream, 2> before_;  // streams at the last two supplies
  TransactionStream known_start_;            // stream from rest, under the last agreement
  unsigned newest_ = 0;
  bool begun_ = false;
  bool waiting_ = false;          // the transfer waits for the host port
  std::uint32_t passed_ = 0;      // bytes that have passed the host port
  std::uint32_t chunk_ = 0;       // bytes on their way
  std::uint32_t unit_bytes_ = 0;  // bytes of buffer_ used by compute_units()
  std::uint8_t* place_ = nullptr;
  const std::uint8_t* source_ = nullptr;
  std::array<std::uint8_t, kChunkBytes + 2> buffer_{};
  // The counter since_req of scsi_transfer.sv, in clocks, at the edge since_at_.
  bool since_counts_ = false;
  std::int64_t since_req_ = 0;
  std::int64_t since_limit_ = 0;
  Picoseconds since_at_ = 0;

  // Times at which the last bytes moved one by one; up to a full FIFO ahead.
  std::array<Picoseconds, kFifoBytes> moved_at_{};
  std::uint32_t moved_next_ = 0;
  std::array<FifoByte, kFifoBytes> fifo_{};
  std::uint32_t fifo_read_ = 0;
  std::uint32_t fifo_level_ = 0;
  // Bytes of messages and status that a computed transfer has taken: each is in the FIFO until its
  // drivers hold it.
  struct Taken {
    FifoByte byte;
    Picoseconds until = 0;

    bool waits(Picoseconds at) const { return byte.since <= at && at < until; }
  };
  std::array<Taken, kFifoBytes> taken_{};
  std::uint32_t taken_next_ = 0;
  std::uint8_t fifo_head() const;
};

}  // namespace headstack::tlm
