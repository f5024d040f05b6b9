#include "host/replay/trace.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "host/replay/trace_formats.hpp"

namespace headstack::replay {
namespace {

/// Keeps the file open for as long as its reader lives.
class FileReader : public TraceReader {
 public:
  FileReader(std::unique_ptr<std::ifstream> in, std::unique_ptr<TraceReader> reader)
      : in_(std::move(in)), reader_(std::move(reader)) {}
  const TraceHeader& header() const override { return reader_->header(); }
  std::optional<TraceRequest> next() override { return reader_->next(); }
  std::uint64_t line() const override { return reader_->line(); }
  std::map<std::string, std::uint64_t> skipped() const override { return reader_->skipped(); }

 private:
  std::unique_ptr<std::ifstream> in_;
  std::unique_ptr<TraceReader> reader_;
};

bool looks_like_date(std::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-';
}

/// The format that the first line with content belongs to.
TraceFormat detect(std::istream& in, const std::string& file) {
  const auto start = in.tellg();
  std::string line;
  std::vector<std::string_view> fields;
  while (fields.empty() && std::getline(in, line)) fields = split_fields(line);
  in.clear();
  in.seekg(start);
  if (!fields.empty() && fields[0] == kHeadstackMagic) return TraceFormat::kHeadstack;
  if (!fields.empty() && looks_like_date(fields[0])) return TraceFormat::kNbdkitLog;
  if (fields.size() == 5) return TraceFormat::kDiskSim;
  throw TraceError(fmt::format(
      "{}:1: format: not recognised by its first line; known are headstack, DiskSim ASCII and "
      "nbdkit log",
      file));
}

}  // namespace

const char* to_string(Operation operation) {
  switch (operation) {
    case Operation::kRead: return "read";
    case Operation::kWrite: return "write";
    case Operation::kFlush: return "flush";
  }
  return "?";
}

const char* to_string(TraceFormat format) {
  switch (format) {
    case TraceFormat::kHeadstack: return "headstack";
    case TraceFormat::kDiskSim: return "disksim";
    case TraceFormat::kNbdkitLog: return "nbdkit";
  }
  return "?";
}

std::unique_ptr<TraceReader> read_trace(std::istream& in, const std::string& file,
                                        std::optional<TraceFormat> format) {
  switch (format ? *format : detect(in, file)) {
    case TraceFormat::kHeadstack: return read_headstack(in, file);
    case TraceFormat::kDiskSim: return read_disksim(in, file);
    case TraceFormat::kNbdkitLog: return read_nbdkit_log(in, file);
  }
  return nullptr;
}

std::unique_ptr<TraceReader> open_trace(const std::string& file,
                                        std::optional<TraceFormat> format) {
  auto in = std::make_unique<std::ifstream>(file, std::ios::binary);
  if (!*in || std::filesystem::is_directory(file)) {
    throw TraceError(fmt::format("{}: cannot be read; check that the file exists", file));
  }
  auto reader = read_trace(*in, file, format);
  return std::make_unique<FileReader>(std::move(in), std::move(reader));
}

}  // namespace headstack::replay
