// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/fst_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace headstack::soc {
namespace {

// The model numbers its own types of names from 1.
constexpr int kFirstType = 1'000'000;
// Verilator marks the kind of a scope in its last character.
constexpr char kModuleScope = static_cast<char>(0x80 + FST_ST_VCD_MODULE);

/// The descriptors that this process has open.
std::vector<int> open_descriptors() {
  std::vector<int> result;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    result.push_back(std::stoi(entry.path().filename()));
  }
  // The list includes the descriptor that was used to read it, and that is closed by now.
  result.erase(std::remove_if(result.begin(), result.end(),
                              [](int descriptor) { return ::fcntl(descriptor, F_GETFD) < 0; }),
               result.end());
  std::sort(result.begin(), result.end());
  return result;
}

std::string binary(std::uint64_t value, unsigned bits) {
  std::string text(bits, '0');
  for (unsigned i = 0; i < bits; ++i) {
    if ((value >> i) & 1U) text[bits - 1 - i] = '1';
  }
  return text;
}

/// A scope such as "drive.arm" in Verilator's form.
std::string scope_prefix(const std::string& scope) {
  std::string prefix;
  for (const char c : scope + '.') {
    if (c != '.') {
      prefix += c;
    } else {
      prefix += kModuleScope;
      prefix += ' ';
    }
  }
  return prefix;
}

}  // namespace

// ------------------------------------------------------------------------------------- FstSignals

void FstSignals::join(VerilatedFst& trace) {
  trace.addInitCb(&FstSignals::declare, this);
  trace.addFullCb(&FstSignals::write_all, this);
  trace.addChgCb(&FstSignals::write_changes, this);
}

void FstSignals::declare(void* self, VerilatedFst* trace, std::uint32_t first_code) {
  static_cast<FstSignals*>(self)->declare(*trace, first_code);
}

void FstSignals::declare(VerilatedFst& trace, std::uint32_t first_code) {
  // Each signal gets two words, at an even place: 64 bits are read there at once.
  std::uint32_t code = first_code + first_code % 2;
  int type = kFirstType;
  codes_.clear();
  for (const WaveSignal& signal : signals_.signals()) {
    int names = -1;
    if (!signal.names.names.empty()) declare_names(trace, signal, names = type++);
    const char* name = signal.name.c_str();
    const int msb = static_cast<int>(signal.bits) - 1;
    trace.pushNamePrefix(scope_prefix(signal.scope));
    if (signal.bits == WaveSignal::kReal) {
      trace.declDouble(code, name, names, FST_VD_IMPLICIT, FST_VT_VCD_REAL, false, -1);
    } else if (signal.bits == 1) {
      trace.declBit(code, name, names, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1);
    } else if (signal.bits <= 32) {
      trace.declBus(code, name, names, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, msb, 0);
    } else {
      trace.declQuad(code, name, names, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, false, -1, msb, 0);
    }
    trace.popNamePrefix();
    codes_.push_back(code);
    code += 2;
  }
}

void FstSignals::declare_names(VerilatedFst& trace, const WaveSignal& signal, int type) const {
  std::vector<std::string> values;
  for (const auto& entry : signal.names.names) values.push_back(binary(entry.first, signal.bits));
  std::vector<const char*> name_pointers;
  std::vector<const char*> value_pointers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    name_pointers.push_back(signal.names.names[i].second.c_str());
    value_pointers.push_back(values[i].c_str());
  }
  trace.declDTypeEnum(type, signal.names.type.c_str(), static_cast<std::uint32_t>(values.size()),
                      signal.bits, name_pointers.data(), value_pointers.data());
}

void FstSignals::write_all(void* self, VerilatedFst::Buffer* buffer) {
  const auto& [signals, codes] = *static_cast<const FstSignals*>(self);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::uint32_t* const old = buffer->oldp(codes[i]);
    const unsigned bits = signals.signals()[i].bits;
    if (bits == WaveSignal::kReal) {
      buffer->fullDouble(old, signals.real(i));
    } else if (bits == 1) {
      buffer->fullBit(old, static_cast<CData>(signals.bits(i)));
    } else if (bits <= 32) {
      buffer->fullIData(old, static_cast<IData>(signals.bits(i)), static_cast<int>(bits));
    } else {
      buffer->fullQData(old, signals.bits(i), static_cast<int>(bits));
    }
  }
}

void FstSignals::write_changes(void* self, VerilatedFst::Buffer* buffer) {
  const auto& [signals, codes] = *static_cast<const FstSignals*>(self);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::uint32_t* const old = buffer->oldp(codes[i]);
    const unsigned bits = signals.signals()[i].bits;
    if (bits == WaveSignal::kReal) {
      buffer->chgDouble(old, signals.real(i));
    } else if (bits == 1) {
      buffer->chgBit(old, static_cast<CData>(signals.bits(i)));
    } else if (bits <= 32) {
      buffer->chgIData(old, static_cast<IData>(signals.bits(i)), static_cast<int>(bits));
    } else {
      buffer->chgQData(old, signals.bits(i), static_cast<int>(bits));
    }
  }
}

// -------------------------------------------------------------------------------------- FstWriter

void FstWriter::open(const std::string& path) {
  const std::vector<int> before = open_descriptors();
  fst_.open(path.c_str());
  if (!fst_.isOpen()) {
    throw std::runtime_error(path + ": cannot be written; does its folder exist?");
  }
  const std::vector<int> after = open_descriptors();
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(descriptors_));
}

void FstWriter::abandon() {
  // Opening replaces the earlier file without closing it, and no file has an empty name. The
  // library's memory is lost with the process. Data that stdio buffers must not reach the files at
  // the process's end, because it shares them with their owner.
  fst_.open("");
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int descriptor : descriptors_) ::dup2(nowhere, descriptor);
  ::close(nowhere);
  descriptors_.clear();
}

}  // namespace headstack::soc
