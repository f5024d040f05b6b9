// SPDX-License-Identifier: Apache-2.0
#include "host/traces/trace_intake.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headstack::traces {
namespace {

// Most devices of a trace. With more, the column must be something else.
constexpr std::size_t kMostDevices = 1 << 20;

std::uint64_t number_of(const std::vector<EventCount>& events, char letter) {
  std::uint64_t number = 0;
  for (const EventCount& event : events) number += event.name.front() == letter ? event.count : 0;
  return number;
}

std::string device_remedy(const ReadingNames& names) {
  return fmt::format("a drive is one device: give {} for one of them, or {} to put all on it",
                     names.one_device, names.all_devices);
}

}  // namespace

TraceIntake::TraceIntake(std::unique_ptr<InputBuffer> in, std::string file,
                         const TraceFormat& format, const ReadOptions& options)
    : in_(std::move(in)),
      file_(std::move(file)),
      format_(format),
      options_(options),
      reader_(format.open(*in_, file_)),
      header_(reader_->header()) {
  const bool has_devices = *format.device != '\0';
  if (options_.devices == DeviceChoice::kAll && has_devices) header_.has_initiators = true;
  if (options_.devices == DeviceChoice::kNamed && !has_devices) {
    throw TraceError(fmt::format("{}: device: a trace of format {} names no devices; leave {} out",
                                 file_, format.name, options_.names.device));
  }
  if (options_.events && !reader_->choose_events(*options_.events)) {
    throw TraceError(
        fmt::format("{}: events: a trace of format {} has no events to choose from; leave {} out",
                    file_, format.name, options_.names.events));
  }
  if (header_.loop == Loop::kOpen) window_ = options_.sort_window.value_or(format.sort_window);
}

std::optional<TraceRequest> TraceIntake::next() {
  fill();
  if (waiting_.empty()) {
    if (failure_) std::rethrow_exception(failure_);
    require_device_seen();
    require_requests();
    return std::nullopt;
  }
  Waiting& first = waiting_.front();
  set_arrival(first);
  line_ = first.line;
  ++returned_;
  const TraceRequest request = first.request;
  waiting_.pop_front();
  return request;
}

TraceCounts TraceIntake::counts() const {
  TraceCounts counts = counts_;
  counts.skipped = reader_->skipped();
  counts.events = reader_->events();
  counts.unended = in_->has_unended_line();
  return counts;
}

/// Reads until more requests wait than may be out of order, or until nothing is left to read.
void TraceIntake::fill() {
  while (!ended_ && waiting_.size() <= window_) {
    try {
      take_item();
    } catch (const BadRecord& error) {
      if (options_.skip_bad) {
        ++counts_.bad;
        if (options_.on_bad) options_.on_bad(error.what());
      } else {
        failure_ = std::current_exception();
        ended_ = true;
      }
    } catch (const TraceError&) {
      failure_ = std::current_exception();
      ended_ = true;
    }
  }
}

void TraceIntake::take_item() {
  switch (reader_->next(raw_)) {
    case RawItem::kRequest:
      take_request();
      if (raw_.forced) take_forced_flush();
      return;
    case RawItem::kCompletion: return take_completion();
    case RawItem::kWithdrawal: return take_withdrawal();
    case RawItem::kEnd: ended_ = true; return;
  }
}

void TraceIntake::take_request() {
  const bool wanted = select_device();
  if (!devices_.empty() && !raw_.device.empty()) ++devices_[device_].requests;
  if (!wanted) {
    ++counts_.other_devices;
    return;
  }
  if (emitted_ && raw_.time < *emitted_) {
    reader_->fail("time",
                  window_ == 0 ? "earlier than the request before"
                               : fmt::format("earlier than a request {} before it", window_ + 1),
                  fmt::format("sort the trace by time, or give {} above {}",
                              options_.names.sort_window, window_));
  }
  counts_.widened += raw_.widened ? 1 : 0;
  if (options_.devices == DeviceChoice::kAll && header_.has_initiators && !raw_.device.empty()) {
    raw_.request.initiator = device_;
  }
  auto at = waiting_.end();
  while (at != waiting_.begin() && raw_.time < std::prev(at)->time) --at;
  counts_.moved += at != waiting_.end() ? 1 : 0;
  waiting_.insert(at, {raw_.request, raw_.time, reader_->line(), raw_.tag, device_});
}

/// Adds a flush after a write with forced unit access, which puts only that write on the media.
void TraceIntake::take_forced_flush() {
  raw_.request = TraceRequest{};
  raw_.request.operation = Operation::kFlush;
  raw_.widened = false;
  raw_.tag = 0;
  take_request();
}

void TraceIntake::take_completion() {
  if (!select_device()) return;
  const auto found = find_ended();
  if (found == waiting_.end()) return;
  const Int128 service = raw_.time - found->time;
  if (service <= kLongestTime) {
    found->request.service = static_cast<Picoseconds>(service);
  } else {
    ++counts_.overlong;
  }
  found->tag = 0;
}

void TraceIntake::take_withdrawal() {
  if (!select_device()) return;
  const auto found = find_ended();
  if (found != waiting_.end()) waiting_.erase(found);
}

/// The request of a completion or a requeue: the latest with its device and tag that was issued by
/// then. It must be neither complete nor returned. Clocks of several processors may place an item
/// before its request; it is left out. Items without a request are counted.
TraceIntake::Queue::iterator TraceIntake::find_ended() {
  bool issued_later = false;
  for (auto at = waiting_.end(); at != waiting_.begin();) {
    --at;
    if (at->tag != raw_.tag || at->device != device_) continue;
    if (at->time <= raw_.time) return at;
    issued_later = true;
  }
  ++(issued_later ? counts_.early_ends : counts_.unmatched_ends);
  return waiting_.end();
}

/// Whether the item belongs to a selected device.
bool TraceIntake::select_device() {
  if (raw_.device.empty()) {
    device_ = 0;
    return true;
  }
  const bool first = devices_.empty();
  if (first || devices_[device_].name != raw_.device) device_ = device_number(raw_.device);
  if (options_.devices == DeviceChoice::kNamed) return raw_.device == options_.device;
  if (options_.devices == DeviceChoice::kOnlyOne && device_ != 0) {
    throw TraceError(reader_->describe(
        "device",
        fmt::format("'{}' after '{}'", printable(raw_.device, 40), printable(devices_[0].name, 40)),
        device_remedy(options_.names)));
  }
  return true;
}

std::uint32_t TraceIntake::device_number(std::string_view name) {
  const auto found = device_numbers_.find(name);
  if (found != device_numbers_.end()) return found->second;
  if (devices_.size() == kMostDevices) {
    throw TraceError(
        reader_->describe("device", "more than a million devices",
                          fmt::format("give the format with {}", options_.names.format)));
  }
  const auto number = static_cast<std::uint32_t>(devices_.size());
  device_numbers_.emplace(name, number);
  devices_.push_back({std::string(name), 0});
  return number;
}

void TraceIntake::set_arrival(Waiting& waiting) {
  if (header_.loop != Loop::kOpen) return;
  if (!start_) start_ = format_.base == TimeBase::kFirstRequest ? waiting.time : Int128{0};
  const Int128 arrival = waiting.time - *start_;
  if (arrival > kLongestTrace) {
    throw TraceError(fmt::format(
        "{}:{}: time: more than 75 days after the trace's start; cut it: headstack trace slice",
        file_, waiting.line));
  }
  emitted_ = waiting.time;
  waiting.request.arrival = static_cast<Picoseconds>(arrival);
}

/// Throws for a device without a request: its name is misspelt, and the trace is not empty.
void TraceIntake::require_device_seen() const {
  if (options_.devices != DeviceChoice::kNamed || device_numbers_.count(options_.device) > 0)
    return;
  std::string names;
  for (std::size_t i = 0; i < devices_.size() && i < 8; ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", printable(devices_[i].name, 40));
  }
  if (devices_.size() > 8) names += ", ...";
  throw TraceError(fmt::format("{}: device: '{}' is not in this trace; it has {}", file_,
                               options_.device, names.empty() ? "no request" : names));
}

/// Throws for an empty trace, which measures nothing. The message says what the trace contains
/// instead, and how to read it.
void TraceIntake::require_requests() const {
  if (options_.allow_empty || returned_ != 0) return;
  const TraceCounts found = counts();
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  for (const EventCount& event : found.events) {
    add(fmt::format("{} {}", event.count, event.name));
  }
  for (const auto& [name, count] : found.skipped) {
    add(fmt::format("{} passed over as '{}'", count, name));
  }
  if (found.other_devices != 0) add(fmt::format("{} of other devices", found.other_devices));
  if (found.bad != 0) add(fmt::format("{} bad lines", found.bad));
  const ReadingNames& names = options_.names;
  const bool takes_issues = options_.events.value_or(BlockEvent::kIssue) == BlockEvent::kIssue;
  const char other = takes_issues ? 'Q' : 'D';
  const bool has_other = number_of(found.events, other) != 0;
  const std::string remedy =
      !has_other ? "give a trace that has some"
                 : fmt::format("requests are made of {}: use {} to make them of {}",
                               takes_issues ? 'D' : 'Q',
                               takes_issues ? names.queue_events : names.issue_events, other);
  throw TraceError(fmt::format("{}: no request is in it{}{}; {}, or accept it with {}", file_,
                               text.empty() ? "" : ", but ", text, remedy, names.allow_empty));
}

}  // namespace headstack::traces
