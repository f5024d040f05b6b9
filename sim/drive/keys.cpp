// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sim/drive/load.hpp"
#include "sim/drive/schema.hpp"

namespace headstack::drive {
namespace {

/// The schema visitor that describes the keys.
class KeyLister {
 public:
  explicit KeyLister(std::string prefix) : prefix_(std::move(prefix)) {}

  void number(const char* key, double&, Bounds bounds, Need need, const char* meaning) {
    line(key, range(bounds), need, meaning);
  }
  template <class Integer>
  void integer(const char* key, Integer&, Bounds bounds, Need need, const char* meaning) {
    line(key, "whole, " + range(bounds), need, meaning);
  }
  void boolean(const char* key, bool&, const char* meaning) {
    line(key, "true or false", Need::kOptional, meaning);
  }
  void text(const char* key, std::string&, Need need, const char* meaning) {
    line(key, "text", need, meaning);
  }
  template <class Enum, std::size_t N>
  void choice(const char* key, Enum&, const std::array<Choice<Enum>, N>& choices, Need need,
              const char* meaning) {
    std::string names;
    for (const auto& choice : choices)
      names += (names.empty() ? "" : " | ") + std::string(choice.name);
    line(key, names, need, meaning);
  }
  void optional_number(const char* key, std::optional<double>&, Bounds bounds,
                       const char* meaning) {
    line(key, range(bounds), Need::kOptional, meaning);
  }
  void optional_integer(const char* key, std::optional<std::uint64_t>&, Bounds bounds,
                        const char* meaning) {
    line(key, "whole, " + range(bounds), Need::kOptional, meaning);
  }
  template <class Values>
  void integers(const char* key, Values&, Bounds bounds, const char* meaning) {
    line(key, "list, " + range(bounds), Need::kOptional, meaning);
  }
  template <class Values>
  void pairs(const char* key, Values&, Bounds bounds, const char* meaning) {
    line(key, "list of pairs, " + range(bounds), Need::kOptional, meaning);
  }
  template <class Values>
  void rows(const char* key, Values&, Bounds bounds, const char* meaning) {
    line(key, "list of rows, " + range(bounds), Need::kOptional, meaning);
  }
  template <class Values>
  void facts(const char* key, Values&, const char* meaning) {
    line(key, "numbers under free names", Need::kOptional, meaning);
  }
  template <class Structure>
  void table(const char* key, Structure& value, Need, const char* meaning) {
    descend(fmt::format("{}{}", prefix_, key), "", value, meaning);
  }
  template <class Structure>
  void tables(const char* key, std::vector<Structure>&, const char* meaning) {
    Structure value;
    descend(fmt::format("{}{}", prefix_, key), "[]", value, meaning);
  }

  const std::string& result() const { return result_; }

 private:
  static std::string range(Bounds bounds) {
    return fmt::format("{} .. {} {}", bounds.low, bounds.high, bounds.unit);
  }

  void line(const char* key, const std::string& kind, Need need, const char* meaning) {
    result_ += fmt::format("  {}{}{}\n      {}; {}\n", prefix_, key,
                           need == Need::kRequired ? " (required)" : "", kind, meaning);
  }

  template <class Structure>
  void descend(const std::string& path, const char* list, Structure& value, const char* meaning) {
    result_ += fmt::format("\n[{}{}]  {}\n", path, list, meaning);
    KeyLister lister(fmt::format("{}{}.", path, list));
    visit(lister, value);
    result_ += lister.result();
  }

  std::string prefix_;
  std::string result_;
};

}  // namespace

std::string list_keys() {
  DriveDescription description;
  KeyLister lister("");
  visit(lister, description);
  return lister.result();
}

}  // namespace headstack::drive
