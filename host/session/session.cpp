// SPDX-License-Identifier: Apache-2.0
#include "host/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "host/observe/electronics.hpp"
#include "host/observe/host_tag.hpp"
#include "host/reference/reference_scheduler.hpp"
#include "host/session/platform.hpp"
#include "sim/assert.hpp"
#include "sim/channel/assembly.hpp"
#include "sim/drive/electronics.hpp"
#include "sim/initiator/cdb.hpp"
#include "sim/initiator/operation_code.hpp"
#include "sim/initiator/queue_error.hpp"
#include "sim/media/media_file_error.hpp"

namespace headstack::session {
namespace {

using initiator::Command;
using initiator::Completion;
using initiator::Direction;
using initiator::Outcome;
using initiator::operation_code::kRead10;
using initiator::operation_code::kTestUnitReady;
using initiator::operation_code::kWrite10;

constexpr std::uint32_t kMostBlocks = UINT16_MAX;  // most blocks in a 10-byte CDB
constexpr Picoseconds kPollInterval = kPicosecondsPerMillisecond;

Command transfer_command(std::uint8_t code, std::uint32_t lba, std::uint32_t blocks) {
  if (blocks > kMostBlocks) {
    throw SessionError(
        fmt::format("{} blocks in one command; ask for {} at most", blocks, kMostBlocks));
  }
  Command command;
  command.cdb = initiator::cdb10(code, 0, lba, blocks);
  return command;
}

void require_good(const char* name, std::uint32_t lba, const Completion& completion) {
  if (completion.is_good()) return;
  std::string text = fmt::format("{} of block {}: {}", name, lba, outcome_name(completion.outcome));
  if (completion.outcome == Outcome::kComplete) {
    text += fmt::format(", status {:02x}h", completion.status);
  }
  if (const auto sense = initiator::sense_codes(completion.sense)) {
    text += fmt::format(", sense {:x}/{:02x}/{:02x}", sense->key, sense->asc, sense->ascq);
  }
  throw SessionError(text);
}

/// Keeps the last event of the number that run_until_event() waits for.
class EventWatch : public observe::RunObserver {
 public:
  void wait_for(std::optional<unsigned> number) {
    number_ = number;
    seen_.reset();
  }
  const std::optional<FirmwareEvent>& seen() const { return seen_; }

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    if (number == number_ && !seen_) seen_ = FirmwareEvent{edge, number, argument};
  }

 private:
  std::optional<unsigned> number_;
  std::optional<FirmwareEvent> seen_;
};

/// Keeps the time at which a sector last passed under the head.
class SectorWatch : public observe::RunObserver {
 public:
  Picoseconds ended() const { return ended_; }
  void sector_ended(Picoseconds at, const geometry::Chs& /*sector*/) override { ended_ = at; }

 private:
  Picoseconds ended_ = 0;
};

/// The description, if the options fit each other and the description. Throws SessionError
/// otherwise.
drive::DriveDescription checked(drive::DriveDescription description, const Options& options,
                                PlatformMaker make_rtl) {
  const bool native = options.platform == PlatformKind::kNative;
  if (options.platform == PlatformKind::kRtl && make_rtl == nullptr) {
    throw SessionError("rtl: this program has no electronics; link headstack_session_rtl");
  }
  if (options.platform == PlatformKind::kRtl) {
    if (const std::string what = drive::find_too_fast_zone(description); !what.empty()) {
      throw SessionError(
          fmt::format("{}: {}; use vp, or a drive with fewer sectors or a slower spindle",
                      description.name, what));
    }
  }
  if (!native && options.firmware.empty()) {
    throw SessionError("no firmware: rtl and vp execute an ELF file; name one");
  }
  if (native && options.look != Look::kNothing) {
    throw SessionError("native executes no program to inspect; use vp");
  }
  if (!native && (options.ideal_electronics || options.access_price)) {
    throw SessionError(
        "ideal electronics and prices of accesses exist on native alone; use native");
  }
  if (!native && !options.reference.empty()) {
    throw SessionError("a drive's core has no time for a reference scheduler; use native");
  }
  if (!options.reference.empty() && reference_scheduler::find(options.reference) == nullptr) {
    throw SessionError(fmt::format("there is no reference scheduler '{}'; use one of: {}",
                                   options.reference,
                                   fmt::join(reference_scheduler::names(), ", ")));
  }
  const bool narrow = description.design.bus.width_bits == 8 || !options.agreement.wide;
  const std::uint32_t most = narrow ? observe::kMostHostsNarrow : observe::kMostHostsWide;
  if (options.hosts < 1 || options.hosts > most) {
    throw SessionError(fmt::format("{} hosts; the bus has ids for 1 to {}", options.hosts, most));
  }
  if (options.media && !options.media_file.empty()) {
    throw SessionError("media and a media file; name one of them");
  }
  return description;
}

/// A time that is longer than a revolution of the slowest drive, and than the rest of a sector.
constexpr Picoseconds kFinishing = kPicosecondsPerSecond;

}  // namespace

PlatformKind parse_platform(const std::string& word) {
  if (word == "rtl") return PlatformKind::kRtl;
  if (word == "vp") return PlatformKind::kVp;
  if (word == "native") return PlatformKind::kNative;
  throw SessionError(fmt::format("there is no platform '{}'; use rtl, vp or native", word));
}

media::MediaStore make_media(const Options& options, const drive::DriveDescription& description) {
  if (options.media) return media::MediaStore(*options.media);
  const media::MediaGeometry geometry = channel::media_geometry(description);
  if (options.media_file.empty()) return media::MediaStore(geometry);
  try {
    return media::MediaStore::open_file(options.media_file, geometry,
                                        media::FileMode::kCreateOrOpen);
  } catch (const std::runtime_error& error) {
    throw SessionError(error.what());
  }
}

initiator::Config adapter_config(const Options& options, std::uint32_t host) {
  initiator::Config config;
  config.id = observe::host_scsi_id(host);
  config.agreement = options.agreement;
  config.times = options.host_times;
  return config;
}

struct Session::World {
  World(drive::DriveDescription the_description, const Options& the_options,
        const std::vector<observe::RunObserver*>& the_observers, PlatformMaker make_rtl)
      : options(the_options),
        description(checked(std::move(the_description), options, make_rtl)),
        geometry(description.design) {
    for (observe::RunObserver* observer : the_observers) observers.add(*observer);
    observers.add(watch);
    observers.add(sectors);
    const PlatformMaker make =
        options.platform == PlatformKind::kRtl ? make_rtl : &make_vp_platform;
    platform = make(options, description, observers);
    platform->on_pause([this] { pause(); });
    const observe::CoreView* core = platform->core();
    if (core != nullptr && core->core != nullptr && options.look != Look::kNothing) {
      queue.emplace(core->firmware, *core->core, core->mechanics.geometry);
    }
  }

  void plan_pause() const {
    if (!pause_at && !power_goes_at) return;
    platform->pause_at(std::min(pause_at.value_or(kNever), power_goes_at.value_or(kNever)));
  }
  /// Does what is planned for a time, once all of that time has happened.
  void pause() {
    const Picoseconds over = platform->now() - 1;
    if (power_goes_at && *power_goes_at <= over) lose_power(*std::exchange(power_goes_at, {}));
    if (pause_at && *pause_at <= over) {
      pause_at.reset();
      pause_action();
    }
    plan_pause();
  }
  void lose_power(Picoseconds at) {
    if (power_lost_at) return;
    power_lost_at = at;
    observers.clear();
    platform->bus().remove_observers();
    platform->lose_power(description.specimen.power_loss);
  }

  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  Options options;
  drive::DriveDescription description;
  geometry::Geometry geometry;
  EventWatch watch;
  SectorWatch sectors;
  observe::RunObservers observers;
  std::unique_ptr<Platform> platform;
  std::optional<observe::QueueView> queue;
  Picoseconds time = 0;  // time of the last run_until()
  std::optional<Picoseconds> power_goes_at;
  std::optional<Picoseconds> power_lost_at;
  std::optional<Picoseconds> pause_at;
  std::function<void()> pause_action;
  bool goes_on = false;  // set during a call of the platform, when all parts have the same time
  std::deque<std::optional<Completion>> results;  // results by ticket; a deque, so that references
                                                  // stay valid
};

Session::Session(drive::DriveDescription description, const Options& options,
                 const std::vector<observe::RunObserver*>& observers, PlatformMaker make_rtl)
    : world_(std::make_unique<World>(std::move(description), options, observers, make_rtl)) {}

Session::~Session() = default;

const drive::DriveDescription& Session::description() const { return world_->description; }
const geometry::Geometry& Session::geometry() const { return world_->geometry; }
const Options& Session::options() const { return world_->options; }
void Session::add_observer(observe::RunObserver& observer) { world_->observers.add(observer); }

Picoseconds Session::now() const {
  return world_->power_lost_at ? *world_->power_lost_at : world_->platform->now();
}

void Session::run_until(Picoseconds time) {
  World& world = *world_;
  HEADSTACK_ASSERT(!world.goes_on, "time passes outside of callbacks");
  if (time <= world.time || !has_power()) return;
  /// Clears the flag at the end of a scope, even after an exception of an observer.
  struct GoesOn {
    explicit GoesOn(bool& the_flag) : flag(the_flag) { flag = true; }
    ~GoesOn() { flag = false; }
    bool& flag;
  };
  const GoesOn goes_on(world.goes_on);
  world.time = time;
  try {
    world.platform->run_until(time);
  } catch (const media::MediaFileError& error) {
    throw SessionError(error.what());
  }
}

/// Runs to the next multiple of kGrain at which the core sleeps. Returns false if there is none up
/// to `last`.
bool Session::step(Picoseconds last) {
  do {
    if (exit_code() || !has_power() || world_->time >= last) return false;
    run_until(std::min((world_->time / kGrain + 1) * kGrain, last));
  } while (world_->time % kGrain != 0 || !rests_at(world_->time));
  return true;
}

/// Runs until the core sleeps. Until then `vp` may be ahead of the other platforms.
void Session::rest() {
  if (world_->goes_on || (world_->time % kGrain == 0 && rests_at(world_->time))) return;
  step(world_->time + kRestless);
}

bool Session::run_until(const std::function<bool()>& condition, Picoseconds limit) {
  const Picoseconds last = world_->time + limit;
  rest();
  while (!condition()) {
    if (!step(last)) return condition();
  }
  return true;
}

std::optional<FirmwareEvent> Session::run_until_event(unsigned number, Picoseconds limit) {
  EventWatch& watch = world_->watch;
  watch.wait_for(number);
  run_until([&watch] { return watch.seen().has_value(); }, limit);
  const std::optional<FirmwareEvent> seen = watch.seen();
  watch.wait_for(std::nullopt);
  return seen;
}

Session::Ticket Session::submit(Command command, std::uint32_t host) {
  rest();
  const Ticket ticket = world_->results.size();
  world_->results.emplace_back();
  command.target = kDriveId;
  command.done = [world = world_.get(), ticket,
                  also = std::move(command.done)](const Completion& completion) {
    if (world->power_lost_at) return;
    world->results[ticket] = completion;
    if (also) also(completion);
  };
  adapter(host).submit(std::move(command));
  return ticket;
}

bool Session::is_done(Ticket ticket) const {
  HEADSTACK_ASSERT(ticket < world_->results.size(), "a ticket of this session");
  return world_->results[ticket].has_value();
}

const Completion& Session::result(Ticket ticket) const {
  HEADSTACK_ASSERT(is_done(ticket), "the command is done");
  return *world_->results[ticket];
}

const Completion& Session::await(Ticket ticket, Picoseconds limit) {
  if (!run_until([&] { return is_done(ticket); }, limit)) {
    if (!has_power()) throw SessionError(fmt::format("command {}: the power is gone", ticket));
    if (const auto code = exit_code()) {
      throw SessionError(fmt::format("the firmware has stopped with {:#x}", *code));
    }
    throw TimeOut(fmt::format("command {} is not done within {:.3f} ms", ticket, to_ms(limit)));
  }
  return result(ticket);
}

const Completion& Session::execute(Command command, std::uint32_t host, Picoseconds limit) {
  return await(submit(std::move(command), host), limit);
}

void Session::make_ready(Picoseconds limit) {
  const Picoseconds last = now() + limit;
  Command command;
  command.cdb.assign(6, 0);
  command.cdb[0] = kTestUnitReady;
  for (std::uint32_t host = 0; host < options().hosts; ++host) {
    while (!execute(command, host, std::max<Picoseconds>(0, last - world_->time)).is_good()) {
      run_until(world_->time + kPollInterval);
    }
  }
}

std::vector<std::uint8_t> Session::read_blocks(std::uint32_t lba, std::uint32_t blocks,
                                               std::uint32_t host) {
  Command command = transfer_command(kRead10, lba, blocks);
  command.direction = Direction::kIn;
  command.length = blocks * description().design.sector_bytes;
  const Completion& completion = execute(std::move(command), host);
  require_good("READ", lba, completion);
  return completion.data;
}

void Session::write_blocks(std::uint32_t lba, std::vector<std::uint8_t> data, std::uint32_t host) {
  const std::uint32_t block_bytes = description().design.sector_bytes;
  if (data.size() % block_bytes != 0) {
    throw SessionError(
        fmt::format("{} bytes to write are not whole blocks of {}", data.size(), block_bytes));
  }
  Command command =
      transfer_command(kWrite10, lba, static_cast<std::uint32_t>(data.size() / block_bytes));
  command.direction = Direction::kOut;
  command.data = std::move(data);
  require_good("WRITE", lba, execute(std::move(command), host));
}

void Session::lose_power() { world_->lose_power(now()); }

void Session::lose_power_at(Picoseconds time) {
  World& world = *world_;
  if (world.power_lost_at || world.power_goes_at.value_or(World::kNever) <= time) return;
  world.power_goes_at = time;
  world.observers.end_after(time);
  if (const observe::CoreView* core = world.platform->core()) core->watchers.end_after(time);
  world.platform->count_cycles_until(time);
  world.plan_pause();
}

std::optional<Picoseconds> Session::power_goes_at() const { return world_->power_goes_at; }

void Session::lose_power_at_byte(std::uint64_t byte) {
  media::MediaStore& store = media();
  const std::uint32_t bytes = store.geometry().sector_bytes + store.geometry().check_bytes;
  const std::uint64_t behind = store.power().byte_count() + byte;
  store.power().before_write([this, &store, bytes, behind](const media::MediaPower::Write& write) {
    if (behind >= write.first_byte + bytes) return;
    const auto part = static_cast<std::uint32_t>(behind - write.first_byte);
    store.power().cut();
    if (part > 0) finish_or_tear(write, part);
    lose_power_soon(world_->sectors.ended());
  });
}

void Session::finish_or_tear(const media::MediaPower::Write& write, std::uint32_t part) {
  media::MediaStore& store = media();
  store.power().cut(write.index);
  if (world_->description.specimen.power_loss == drive::PowerLoss::kFinished) {
    static_cast<void>(store.write(write.index, write.data, write.check));
  } else {
    std::vector<std::uint8_t> field(write.data, write.data + store.geometry().sector_bytes);
    field.insert(field.end(), write.check, write.check + store.geometry().check_bytes);
    static_cast<void>(store.write_part(write.index, field.data(), 0, part));
  }
  store.power().cut();
}

bool Session::has_power() const { return !world_->power_lost_at; }

Picoseconds Session::power_lost_at() const {
  HEADSTACK_ASSERT(!has_power(), "the power has gone");
  return *world_->power_lost_at;
}

media::MediaSnapshot Session::take_media() {
  HEADSTACK_ASSERT(!world_->goes_on, "time passes outside of callbacks");
  Platform& platform = *world_->platform;
  const Picoseconds last = platform.now() + kFinishing;
  while (media().power().is_finishing() && platform.now() < last) {
    platform.run_until(platform.now() + kGrain);
  }
  return media().snapshot();
}

media::MediaStore& Session::media() { return world_->platform->media(); }
const media::MediaStore& Session::media() const { return world_->platform->media(); }

Figures Session::figures() const { return world_->platform->figures(); }
bus::ObservedBus& Session::bus() { return world_->platform->bus(); }

void Session::require_look() const {
  if (!world_->queue) {
    throw SessionError("this session does not inspect the core: open it with Look::kCycles");
  }
}

std::vector<observe::QueuedTask> Session::queue() const {
  require_look();
  if (!world_->queue->missing().empty()) throw SessionError(world_->queue->missing());
  return world_->queue->tasks(static_cast<std::uint64_t>(now() / soc::kClockPeriodPs));
}

soc::CoreRegisters Session::registers() const { return core_access().registers(); }

soc::CoreAccess& Session::core_access() const {
  require_look();
  return *core()->core;
}

std::optional<std::uint32_t> Session::exit_code() const { return world_->platform->exit_code(); }
Picoseconds Session::exit_time() const { return world_->platform->exit_time(); }
std::optional<soc::CoreFault> Session::core_fault() const { return world_->platform->core_fault(); }
std::optional<soc::CoreFrame> Session::core_frame() const { return world_->platform->core_frame(); }
const soc::CoreAccess* Session::stopped_core() { return world_->platform->stopped_core(); }
bool Session::rests_at(Picoseconds time) const { return world_->platform->rests_at(time); }

initiator::HostAdapter& Session::adapter(std::uint32_t host) {
  HEADSTACK_ASSERT(host < options().hosts, "a host of this session");
  return world_->platform->adapter(host);
}
void Session::on_wake(std::function<void()> action) {
  world_->platform->on_wake(std::move(action));
}
void Session::wake_at(Picoseconds time) { world_->platform->wake_at(time); }
void Session::on_pause(std::function<void()> action) { world_->pause_action = std::move(action); }
void Session::pause_at(Picoseconds time) {
  world_->pause_at = time;
  world_->plan_pause();
}
const observe::CoreView* Session::core() const { return world_->platform->core(); }
const observe::Electronics* Session::electronics() const { return world_->platform->electronics(); }

}  // namespace headstack::session
