// SPDX-License-Identifier: Apache-2.0
/// @file
/// A wave file, read by the reader of GTKWave's own FST library, which comes with Verilator.
#pragma once

#include <gtest/gtest.h>
#include <gtkwave/fstapi.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/units.hpp"

namespace headstack::wave::test {

struct Change {
  Picoseconds at = 0;
  std::string bits;  // value of a vector
  double real = 0;   // value of a real number
  std::string name;  // name of the value in the signal's enumeration, or ""

  std::uint64_t number() const { return std::stoull(bits, nullptr, 2); }
};

class FstFile {
 public:
  explicit FstFile(const std::string& path) : reader_(fstReaderOpen(path.c_str())) {
    if (reader_ == nullptr) throw std::runtime_error(path + ": no FST file");
    fstReaderIterBlocksSetNativeDoublesOnCallback(reader_, 1);
    read_hierarchy();
  }
  ~FstFile() { fstReaderClose(reader_); }
  FstFile(const FstFile&) = delete;
  FstFile& operator=(const FstFile&) = delete;

  Picoseconds begin() const { return static_cast<Picoseconds>(fstReaderGetStartTime(reader_)); }
  Picoseconds end() const { return static_cast<Picoseconds>(fstReaderGetEndTime(reader_)); }
  int time_unit_exponent() const { return fstReaderGetTimescale(reader_); }

  /// `signal` is the name in GTKWave: "drive.bus.phase[3:0]".
  bool has(const std::string& signal) const { return signals_.count(signal) > 0; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : signals_) names.push_back(entry.first);
    return names;
  }

  /// Every change of a signal, by time. The first one is its initial value.
  std::vector<Change> changes(const std::string& signal) const {
    const auto found = signals_.find(signal);
    if (found == signals_.end()) throw std::runtime_error("no signal " + signal);
    Collector collector{&found->second, {}};
    fstReaderClrFacProcessMaskAll(reader_);
    fstReaderSetFacProcessMask(reader_, found->second.handle);
    fstReaderIterBlocks(reader_, collect, &collector, nullptr);
    return collector.changes;
  }

 private:
  struct Signal {
    fstHandle handle = 0;
    bool real = false;
    const std::map<std::string, std::string>* names = nullptr;
  };
  struct Collector {
    const Signal* signal;
    std::vector<Change> changes;
  };

  static void collect(void* user, std::uint64_t time, fstHandle /*handle*/,
                      const unsigned char* value) {
    auto& [signal, changes] = *static_cast<Collector*>(user);
    Change change;
    change.at = static_cast<Picoseconds>(time);
    if (signal->real) {
      std::memcpy(&change.real, value, sizeof change.real);
    } else {
      change.bits = reinterpret_cast<const char*>(value);
    }
    if (signal->names != nullptr) {
      const auto name = signal->names->find(change.bits);
      if (name != signal->names->end()) change.name = name->second;
    }
    // A block begins with all values, also those that have not changed.
    const bool same = !changes.empty() && changes.back().bits == change.bits &&
                      changes.back().real == change.real;
    if (!same) changes.push_back(change);
  }

  void read_hierarchy() {
    read_tables();
    std::vector<std::string> scopes;
    const std::map<std::string, std::string>* names = nullptr;
    fstReaderIterateHierRewind(reader_);
    while (const fstHier* item = fstReaderIterateHier(reader_)) {
      if (item->htyp == FST_HT_SCOPE) scopes.emplace_back(item->u.scope.name);
      if (item->htyp == FST_HT_UPSCOPE) scopes.pop_back();
      // This attribute is the table of the next variable, given by its number.
      if (item->htyp == FST_HT_ATTRBEGIN && item->u.attr.subtype == FST_MT_ENUMTABLE) {
        names = &tables_[item->u.attr.arg];
      }
      if (item->htyp != FST_HT_VAR) continue;
      std::string path;
      for (const std::string& scope : scopes) path += scope + '.';
      for (const char c : std::string(item->u.var.name)) {
        if (c != ' ') path += c;  // a blank precedes the range
      }
      signals_[path] = {item->u.var.handle, item->u.var.typ == FST_VT_VCD_REAL, names};
      names = nullptr;
    }
  }

  /// Reads the names of enumerations from the reader's text, as its iterator truncates long tables.
  void read_tables() {
    const std::string key = "$attrbegin misc 07 ";
    std::FILE* text = std::tmpfile();
    fstReaderSetVcdExtensions(reader_, 1);
    fstReaderProcessHier(reader_, text);
    std::rewind(text);
    std::string line;
    for (int c = std::fgetc(text); c != EOF; c = std::fgetc(text)) {
      if (c != '\n') {
        line += static_cast<char>(c);
        continue;
      }
      if (line.rfind(key, 0) == 0 && line[key.size()] != '"') take_table(line.substr(key.size()));
      line.clear();
    }
    std::fclose(text);
  }

  /// The line is "TYPE COUNT NAME... VALUE... NUMBER $end".
  void take_table(const std::string& line) {
    const std::size_t end = line.rfind(' ');
    const std::size_t number = line.rfind(' ', end - 1);
    fstETab* text = fstUtilityExtractEnumTableFromString(line.substr(0, number).c_str());
    auto& table = tables_[std::stoull(line.substr(number + 1))];
    for (std::uint32_t i = 0; i < text->elem_count; ++i) {
      table[text->val_arr[i]] = text->literal_arr[i];
    }
    fstUtilityFreeEnumTable(text);
  }

  void* reader_;
  std::map<std::uint64_t, std::map<std::string, std::string>> tables_;
  std::map<std::string, Signal> signals_;
};

/// The value at a time, from the last change at or before it.
inline const Change& value_at(const std::vector<Change>& changes, Picoseconds at) {
  const Change* value = &changes.front();
  for (const Change& change : changes) {
    if (change.at > at) break;
    value = &change;
  }
  return *value;
}

}  // namespace headstack::wave::test
