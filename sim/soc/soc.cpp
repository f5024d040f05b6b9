// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/soc.hpp"

#include <tuple>

#include "sim/assert.hpp"
#include "sim/soc/soc_model.hpp"

namespace headstack::soc {
namespace {

auto tie(const SocInputs& in) {
  return std::tie(in.scsi, in.read_ready, in.write_ready, in.at_speed, in.at_rest, in.write_fault,
                  in.sector_pulse, in.index_pulse, in.byte_strobe, in.nrz);
}

// The outputs that change most often come first.
auto tie(const SocOutputs& out) {
  return std::tie(out.scsi, out.nrz, out.read_gate, out.write_gate, out.sector_listen,
                  out.index_listen, out.seek_req, out.seek_cylinder, out.seek_head,
                  out.seek_for_write, out.spin_up, out.spin_down, out.recalibrate);
}

std::unique_ptr<SocModel> make_model(SocBuild build) {
  return build == SocBuild::kFast ? make_fast_soc_model() : make_inspect_soc_model();
}

/// Reads bytes from a memory of words, low byte first.
template <class WordAt>
std::vector<std::uint8_t> read_words(std::uint32_t address, std::size_t bytes, WordAt&& word_at) {
  std::vector<std::uint8_t> result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::uint32_t at = address + static_cast<std::uint32_t>(i);
    result[i] = static_cast<std::uint8_t>(word_at(at / 4) >> (8 * (at % 4)));
  }
  return result;
}

}  // namespace

bool operator==(const SocInputs& a, const SocInputs& b) { return tie(a) == tie(b); }
bool operator==(const SocOutputs& a, const SocOutputs& b) { return tie(a) == tie(b); }

Soc::Soc(SocBuild build) : build_(build), model_(make_model(build)) { reset(); }
Soc::~Soc() = default;

void Soc::load(const ElfImage& image) {
  image.check_fits(kRamBytes);
  for (const ElfImage::Segment& segment : image.segments()) {
    write_ram(segment.address, segment.memory());
  }
}

void Soc::reset() { model_->reset(); }
void Soc::set_inputs(const SocInputs& inputs) { model_->set_inputs(inputs); }
bool Soc::step(std::uint64_t edge, ClockSet clocks) { return model_->step(edge, clocks); }
void Soc::watch_faults(std::uint32_t stack_limit) { model_->watch_faults(stack_limit); }
CoreFault Soc::fault() const { return model_->fault(); }
CoreFrame Soc::frame() const { return model_->frame(); }
SocOutputs Soc::outputs() const { return model_->outputs(); }
SocClockState Soc::clock_state() const { return model_->clock_state(); }
SocReport Soc::report() const { return model_->report(); }

Retirement Soc::retirement() const { return activity().retirement; }

CoreActivity Soc::activity() const {
  HEADSTACK_ASSERT(build_ == SocBuild::kInspect, "the fast build does not show its core");
  return model_->activity();
}

CoreStage Soc::stage() const {
  HEADSTACK_ASSERT(build_ == SocBuild::kInspect, "the fast build does not show its core");
  return model_->stage();
}

CoreRegisters Soc::registers() const {
  HEADSTACK_ASSERT(build_ == SocBuild::kInspect, "the fast build does not show its core");
  return model_->registers();
}

void Soc::set_register(unsigned number, std::uint32_t value) {
  HEADSTACK_ASSERT(build_ == SocBuild::kInspect, "the fast build does not show its core");
  HEADSTACK_ASSERT(number >= 1 && number <= 31, "a register that can be set");
  model_->set_register(number, value);
}

std::vector<std::uint8_t> Soc::read_ram(std::uint32_t address, std::size_t bytes) const {
  HEADSTACK_ASSERT(address <= kRamBytes && bytes <= kRamBytes - address, "that is not RAM");
  return read_words(address, bytes, [this](std::uint32_t word) { return model_->ram_word(word); });
}

std::vector<std::uint8_t> Soc::read_buffer(std::uint32_t offset, std::size_t bytes) const {
  HEADSTACK_ASSERT(build_ == SocBuild::kInspect, "the fast build does not show its buffer");
  HEADSTACK_ASSERT(offset <= kBufferBytes && bytes <= kBufferBytes - offset,
                   "that is not the buffer");
  return read_words(offset, bytes,
                    [this](std::uint32_t word) { return model_->buffer_word(word); });
}

std::optional<std::uint32_t> Soc::load_register(std::uint32_t address) {
  return inspected().load_register(address);
}

void Soc::write_ram(std::uint32_t address, const std::vector<std::uint8_t>& bytes) {
  HEADSTACK_ASSERT(address <= kRamBytes && bytes.size() <= kRamBytes - address, "that is not RAM");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint32_t at = address + static_cast<std::uint32_t>(i);
    const unsigned shift = 8 * (at % 4);
    const std::uint32_t kept = model_->ram_word(at / 4) & ~(0xFFU << shift);
    model_->set_ram_word(at / 4, kept | (std::uint32_t{bytes[i]} << shift));
  }
}

SocModel& Soc::inspected() const {
  HEADSTACK_ASSERT(build_ == SocBuild::kInspect, "the fast build makes no waves");
  return *model_;
}

void Soc::lower_clock() { inspected().lower_clock(); }
void Soc::open_waves(const std::string& path, const WaveSignals* beside) {
  inspected().open_waves(path, beside);
}
void Soc::write_waves(Picoseconds at) { inspected().write_waves(at); }
void Soc::flush_waves() { inspected().flush_waves(); }
void Soc::close_waves() { inspected().close_waves(); }
void Soc::abandon_waves() { inspected().abandon_waves(); }

}  // namespace headstack::soc
