// SPDX-License-Identifier: Apache-2.0
#include "host/debug/block_registers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "host/debug/wire.hpp"
#include "host/observe/register_map.hpp"

namespace headstack::debug {
namespace {

/// A register, or an element of an array of registers.
struct Place {
  std::string name;  // name with that of the block
  std::uint32_t address = 0;
  std::vector<tlm::RegisterField> fields;
};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// The name of an element. "SEGMENT[].LEVEL" has the index in the brackets, and an array such as
/// "EVENT" at its end.
std::string indexed(const std::string& name, std::uint32_t index) {
  const std::size_t brackets = name.find("[]");
  const std::string number = fmt::format("[{}]", index);
  if (brackets == std::string::npos) return name + number;
  return name.substr(0, brackets) + number + name.substr(brackets + 2);
}

std::vector<Place> places() {
  std::vector<Place> all;
  for (const observe::RegisterBlock& block : observe::register_blocks()) {
    for (const tlm::RegisterName& reg : block.registers) {
      for (std::uint32_t index = 0; index < reg.count; ++index) {
        Place place;
        const std::string own = reg.count == 1 ? reg.name : indexed(reg.name, index);
        place.name = fmt::format("{}.{}", block.name, own);
        place.address = block.base + reg.offset + index * reg.stride;
        for (const tlm::RegisterField& field : block.fields) {
          if (field.offset == reg.offset) place.fields.push_back(field);
        }
        all.push_back(std::move(place));
      }
    }
  }
  return all;
}

/// Whether a place has this name, or is a part of a place that has it.
bool belongs_to(const Place& place, const std::string& name) {
  if (place.name.compare(0, name.size(), name) != 0) return false;
  return place.name.size() == name.size() || place.name[name.size()] == '.' ||
         place.name[name.size()] == '[';
}

bool is_readable(const Place& place) {
  return std::any_of(place.fields.begin(), place.fields.end(),
                     [](const tlm::RegisterField& field) { return field.readable; });
}

struct Loaded {
  bool made = false;  // the load ended
  bool good = false;
  std::uint32_t value = 0;
};

/// Makes the load in the copy, and ends it.
[[noreturn]] void load_in_copy(soc::CoreAccess& core, std::uint32_t address, int to) {
  const std::optional<std::uint32_t> value = core.load_register(address);
  const Loaded loaded{true, value.has_value(), value.value_or(0)};
  const bool told = ::write(to, &loaded, sizeof loaded) == static_cast<ssize_t>(sizeof loaded);
  std::_Exit(told ? EXIT_SUCCESS : EXIT_FAILURE);
}

/// Makes a load in a copy of its own. Otherwise one load may have an effect that the next would
/// show.
Loaded load(soc::CoreAccess& core, std::uint32_t address) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  const pid_t copy = ::fork();
  if (copy == 0) load_in_copy(core, address, to.get());
  to.close();
  Loaded loaded;
  if (copy < 0) return loaded;
  while (::read(from.get(), &loaded, sizeof loaded) < 0 && errno == EINTR) {
  }
  ::waitpid(copy, nullptr, 0);
  return loaded;
}

std::string field_text(const tlm::RegisterField& field, std::uint32_t word) {
  if (!field.readable) return fmt::format("  {:<20} (write only)\n", field.name);
  const std::uint32_t value = (word & field.mask) >> field.shift;
  const auto* const end = field.values + field.value_count;
  const auto* const named =
      std::find_if(field.values, end, [value](const auto& one) { return one.value == value; });
  if (named != end) return fmt::format("  {:<20} {} ({})\n", field.name, value, named->name);
  return value < 10 ? fmt::format("  {:<20} {}\n", field.name, value)
                    : fmt::format("  {:<20} {} = {:x}h\n", field.name, value, value);
}

std::string place_text(soc::CoreAccess& core, const Place& place) {
  std::string text = fmt::format("{} at {:x}h", place.name, place.address);
  if (!is_readable(place)) return text + ": write only\n";
  const Loaded loaded = load(core, place.address);
  if (!loaded.made) return text + ": cannot be seen: no process could be made for the load\n";
  if (!loaded.good) return text + ": its block refuses a load\n";
  text += fmt::format(" = {:08x}h\n", loaded.value);
  for (const tlm::RegisterField& field : place.fields) text += field_text(field, loaded.value);
  return text;
}

std::string list_text() {
  std::string text;
  for (const observe::RegisterBlock& block : observe::register_blocks()) {
    text += fmt::format("{:<12}", block.name);
    for (const tlm::RegisterName& reg : block.registers) {
      const std::string last = fmt::format("0..{}", reg.count - 1);
      std::string name = reg.name;
      if (reg.count > 1) {
        name = indexed(name, 0);
        name.replace(name.find("[0]") + 1, 1, last);
      }
      text += ' ' + name;
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string block_registers_text(soc::CoreAccess& core, const std::string& name) {
  if (name.empty()) return list_text();
  std::string text;
  for (const Place& place : places()) {
    if (belongs_to(place, upper(name))) text += place_text(core, place);
  }
  if (!text.empty()) return text;
  return fmt::format("there is no block or register '{}': 'monitor reg' lists them\n", name);
}

}  // namespace headstack::debug
