// SPDX-License-Identifier: Apache-2.0
// For every format: what its sample holds, detection by content, and independence of the pieces in
// which it is read. No part of it is lost on the way through headstack's own format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "host/traces/trace_formats.hpp"
#include "host/traces/trace_writer.hpp"
#include "tests/unit/trace_samples.hpp"

namespace headstack::traces {

void PrintTo(const TraceRequest& r, std::ostream* out) {
  const auto time = [](const std::optional<Picoseconds>& t) { return t ? *t : -1; };
  *out << r.arrival << " " << to_string(r.operation) << " " << r.lba << "+" << r.blocks << " by "
       << time(r.deadline) << " of " << r.initiator << " think " << time(r.think) << " service "
       << time(r.service) << " " << to_string(r.service_class()) << " stream "
       << (r.urgency.stream ? int{*r.urgency.stream} : -1) << " priority "
       << int{r.urgency.priority};
}

namespace {

ReadOptions all_devices() {
  ReadOptions options;
  options.devices = DeviceChoice::kAll;
  return options;
}

std::vector<TraceRequest> drain(TraceReader& reader) {
  std::vector<TraceRequest> requests;
  while (const auto request = reader.next()) requests.push_back(*request);
  return requests;
}

std::vector<TraceRequest> read_all(const std::string& bytes) {
  std::istringstream in(bytes);
  return drain(*read_trace(in, "sample", all_devices()));
}

const SampleTrace& find_sample(const std::string& what) {
  const auto& all = sample_traces();
  return *std::find_if(all.begin(), all.end(), [&](const auto& row) { return row.what == what; });
}

class SampleOf : public testing::TestWithParam<SampleTrace> {};

TEST_P(SampleOf, HoldsWhatItsDefinitionSays) {
  const SampleTrace& sample = GetParam();
  std::istringstream in(sample.bytes());
  const auto reader = read_trace(in, "sample", all_devices());
  EXPECT_EQ(reader->header().loop, sample.loop);
  EXPECT_EQ(reader->header().block_bytes, 512U);
  EXPECT_THAT(drain(*reader), testing::ElementsAreArray(sample.requests));
  EXPECT_EQ(reader->skipped(), sample.skipped);
  const TraceCounts counts = reader->counts();
  EXPECT_EQ(counts.widened, sample.widened);
  EXPECT_EQ(counts.moved, sample.moved);
  EXPECT_EQ(counts.bad, 0U);
  std::vector<std::string> devices;
  for (const TraceDevice& device : reader->devices()) devices.push_back(device.name);
  EXPECT_EQ(devices, sample.devices);
}

TEST_P(SampleOf, IsFoundByItsContent_AndByNoOtherFormatFirst) {
  std::istringstream in(GetParam().bytes());
  EXPECT_EQ(read_trace(in, "sample", all_devices())->format(), GetParam().format);
}

TEST_P(SampleOf, SurvivesTheTripThroughOurOwnFormat) {
  std::istringstream in(GetParam().bytes());
  const auto reader = read_trace(in, "sample", all_devices());
  std::stringstream own;
  {
    TraceWriter writer(own, reader->header());
    while (const auto request = reader->next()) writer.write(*request);
  }
  const auto back = read_trace(own, "own");
  EXPECT_EQ(back->header().loop, reader->header().loop);
  EXPECT_THAT(drain(*back), testing::ElementsAreArray(GetParam().requests));
}

/// A stream that gives one byte at a time, as a slow pipe does.
class OneByteBuffer : public std::streambuf {
 public:
  explicit OneByteBuffer(std::string bytes) : bytes_(std::move(bytes)) {}
  int_type underflow() override {
    if (at_ == bytes_.size()) return traits_type::eof();
    setg(&bytes_[at_], &bytes_[at_], &bytes_[at_] + 1);
    ++at_;
    return traits_type::to_int_type(*gptr());
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

TEST_P(SampleOf, ComesInAnyPieces_AndWithoutSeeking) {
  OneByteBuffer buffer(GetParam().bytes());
  std::istream in(&buffer);
  EXPECT_THAT(drain(*read_trace(in, "sample", all_devices())),
              testing::ElementsAreArray(GetParam().requests));
}

bool is_text(const std::string& format) {
  return format != "hp-srt" && format != "blktrace" && format != "vscsi";
}

// Excel and Notepad write such a mark. Binary formats use their first bytes themselves.
TEST_P(SampleOf, WithAByteOrderMark_IsTheSame_IfItIsText) {
  const std::string marked = "\xEF\xBB\xBF" + GetParam().bytes();
  for (const char* named : {"", GetParam().format}) {
    ReadOptions options = all_devices();
    options.format = named;
    std::istringstream in(marked);
    if (is_text(GetParam().format)) {
      const auto reader = read_trace(in, "sample", options);
      EXPECT_EQ(reader->format(), GetParam().format);
      EXPECT_THAT(drain(*reader), testing::ElementsAreArray(GetParam().requests));
    } else {
      EXPECT_THROW(drain(*read_trace(in, "sample", options)), TraceError) << named;
    }
  }
}

TEST_P(SampleOf, WithCarriageReturns_IsTheSame) {
  if (!is_text(GetParam().format)) return;
  std::string text;
  for (const char c : GetParam().bytes()) text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_THAT(read_all(text), testing::ElementsAreArray(GetParam().requests));
}

// A file cut anywhere gives one error, or the requests before the cut. It causes no crash and no
// additional request.
TEST_P(SampleOf, CutAnywhere_GivesABeginningOrAnError) {
  const SampleTrace& sample = GetParam();
  const std::string bytes = sample.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::istringstream in(bytes.substr(0, size));
    ReadOptions options = all_devices();
    options.format = sample.format;
    std::size_t count = 0;
    try {
      const auto reader = read_trace(in, "cut", options);
      while (reader->next()) ++count;
    } catch (const TraceError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
    EXPECT_LE(count, sample.requests.size() + 1) << size;  // a withdrawal may be cut off
  }
}

INSTANTIATE_TEST_SUITE_P(Trace, SampleOf, testing::ValuesIn(sample_traces()),
                         test::case_name<SampleTrace>);

TEST(TraceFormats, EveryRow_HasASample_ANameOfItsOwn_AndWords) {
  std::set<std::string> names, sampled;
  for (const SampleTrace& sample : sample_traces()) sampled.insert(sample.format);
  for (const TraceFormat* format : trace_formats()) {
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
    EXPECT_EQ(sampled.count(format->name), 1U) << format->name;
    EXPECT_NE(*format->text, '\0') << format->name;
    EXPECT_EQ(find_format(format->name), format);
  }
  EXPECT_EQ(find_format("nothing"), nullptr);
}

TEST(TraceFormats, TheReadme_NamesEveryFormat) {
  std::ifstream in(test::source_dir() / "traces/README.md");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const TraceFormat* format : trace_formats()) {
    // HasSubstr would print the whole page.
    EXPECT_NE(text.find(std::string("| `") + format->name + "` |"), std::string::npos)
        << "traces/README.md needs a row for " << format->name;
  }
}

TEST(TraceFormats, EachHasAFuzzer) {
  std::ifstream in(test::source_dir() / "tests/fuzz/CMakeLists.txt");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t begin = text.find("set(formats");
  std::istringstream list(text.substr(begin, text.find(')', begin) - begin));
  const std::set<std::string> named{std::istream_iterator<std::string>(list), {}};
  for (const TraceFormat* format : trace_formats()) {
    EXPECT_EQ(named.count(format->name), 1U)
        << "name it in tests/fuzz/CMakeLists.txt: " << format->name;
  }
}

// The words of text_input.hpp for reads and writes.
TEST(TextTrace, AReadOrAWrite_IsALetterOrAWord) {
  for (const char* word : {"R", "r", "Read", "read", "READ"}) {
    EXPECT_EQ(operation_of_word(word), kR) << word;
  }
  for (const char* word : {"W", "w", "Write", "write", "WRITE"}) {
    EXPECT_EQ(operation_of_word(word), kW) << word;
  }
  for (const char* word : {"", "Rea", "Reads", "rEAD", "F", "1"}) {
    EXPECT_EQ(operation_of_word(word), std::nullopt) << word;
  }
}

// Records have 32, 40 or 48 bytes, as the head of vscsi_format.cpp says. The file has nothing else
// that shows its layout.
TEST(VscsiTrace, OfOneRecord_IsThatRecord) {
  const std::map<std::string, std::size_t> sizes = {
      {"VscsiVersion1", 32}, {"VscsiVersion2", 40}, {"VscsiVersion2Padded", 48}};
  for (const auto& [what, size] : sizes) {
    const SampleTrace& sample = find_sample(what);
    EXPECT_THAT(read_all(sample.bytes().substr(0, size)), testing::ElementsAre(sample.requests[0]))
        << what;
  }
}

// A device is a u32 of each record: the major number in the upper 12 bits, the minor number in the
// others (Linux, include/linux/kdev_t.h).
TEST(BlktraceTrace, EachRecord_NamesItsDevice) {
  constexpr std::size_t kIssue = 48 + 12 + 48, kDevice = 36;  // after a notice and a queueing
  const SampleTrace& sample = find_sample("BlktraceLittleEndian");
  const std::string bytes = sample.bytes();
  std::string other = bytes.substr(kIssue, 48);
  other.replace(kDevice, 4, std::string("\x03\x00\x10\x04", 4));  // 65,3
  std::istringstream in(bytes + other);
  const auto reader = read_trace(in, "sample", all_devices());
  const auto requests = drain(*reader);
  EXPECT_EQ(requests.size(), sample.requests.size() + 1);
  ASSERT_EQ(reader->devices().size(), 2U);
  EXPECT_EQ(reader->devices()[0].name, "8,0");
  EXPECT_EQ(reader->devices()[1].name, "65,3");
  EXPECT_EQ(reader->devices()[1].requests, 1U);
}

// A DiskSim trace and an SSDsim trace may look alike, so a name decides.
TEST(TraceFormats, AName_OverridesTheContent) {
  ReadOptions options;
  options.format = "disksim";
  std::istringstream in("7 0 100 8 1\n");
  EXPECT_EQ(read_trace(in, "t", options)->next()->arrival, 7 * kMs);
  std::istringstream again("7 0 100 8 1\n");
  EXPECT_EQ(read_trace(again, "t")->next()->arrival, 7000);
}

}  // namespace
}  // namespace headstack::traces
