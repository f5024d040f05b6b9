// SPDX-License-Identifier: Apache-2.0
// REPORT SUPPORTED OPERATION CODES (SPC-4 6.35; RWCDLP and CDLP: SPC-5): supported commands, and
// all others.
#include <map>
#include <set>

#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

class ScsiReportTest : public ScsiFixture {
 protected:
  void SetUp() override {
    ScsiFixture::SetUp();
    make_ready();
  }
  // The data in hex, or the sense.
  std::string report(uint8_t options, uint8_t opcode = 0, uint16_t action = 0,
                     uint32_t allocation = 1024) {
    const Bytes cdb = {0xA3,
                       0x0C,
                       options,
                       opcode,
                       static_cast<uint8_t>(action >> 8),
                       static_cast<uint8_t>(action),
                       static_cast<uint8_t>(allocation >> 24),
                       static_cast<uint8_t>(allocation >> 16),
                       static_cast<uint8_t>(allocation >> 8),
                       static_cast<uint8_t>(allocation),
                       0,
                       0};
    return execute(cdb) == COMMAND_DONE ? hex(reply()) : sense_text();
  }
  void expect_usage_is_allowed(uint8_t version);
};

constexpr uint8_t kOne = 1, kOneWithAction = 2, kEither = 3, kTimeouts = 0x80;

// Commands in the README's table and in the standards' opcode tables: SPC-2 11, SBC-2 5.
const std::set<uint8_t> kPlain = {0x00, 0x01, 0x03, 0x04, 0x07, 0x08, 0x0A, 0x0B, 0x12, 0x15,
                                  0x16, 0x17, 0x1A, 0x1B, 0x1D, 0x1E, 0x25, 0x28, 0x2A, 0x2B,
                                  0x2E, 0x2F, 0x35, 0x37, 0x3B, 0x3C, 0x4C, 0x4D, 0x55, 0x56,
                                  0x57, 0x5A, 0x88, 0x8A, 0xA0, 0xA8, 0xAA, 0xB7};
const std::map<uint8_t, uint16_t> kWithAction = {{0x9E, 0x10}, {0xA3, 0x0C}};

// The length of a CDB by the group in bits 7-5 (SPC-2 7.1).
std::size_t cdb_bytes(uint8_t opcode) {
  switch (opcode >> 5) {
    case 1:
    case 2: return 10;
    case 4: return 16;
    case 5: return 12;
    default: return 6;
  }
}

// SCSI-2 7.5.3: INQUIRY and REQUEST SENSE answer for logical units that do not exist, all others
// with LOGICAL UNIT NOT SUPPORTED. SPC-2 7.19: so does REPORT LUNS.
TEST_F(ScsiReportTest, ForAnotherUnit_ThreeCommandsAnswer) {
  const std::set<uint8_t> answer = {0x03, 0x12, 0xA0};
  for (const uint8_t opcode : kPlain) {
    SCOPED_TRACE(unsigned{opcode});
    Bytes cdb(cdb_bytes(opcode));
    cdb[0] = opcode;
    if (opcode == 0xA0) cdb[9] = 0x10;  // an allocation length
    const command_result result = execute(cdb, kHost, TASK_SIMPLE, 1, 1);
    EXPECT_EQ(result == COMMAND_DONE, answer.count(opcode) != 0);
    if (result != COMMAND_DONE) {
      EXPECT_EQ(sense_text(), "5/25/00");
    }
  }
}

TEST_F(ScsiReportTest, EveryOperationCodeByItself) {
  for (unsigned code = 0; code < 256; ++code) {
    SCOPED_TRACE(code);
    const auto opcode = static_cast<uint8_t>(code);
    const std::string text = report(kOne, opcode);
    if (kWithAction.count(opcode) != 0) {
      EXPECT_EQ(text, "5/24/00");
      EXPECT_EQ(command_.sense.value, 2U);
    } else if (kPlain.count(opcode) == 0) {
      EXPECT_EQ(text, "00 01 00 00");
    } else {
      const Bytes data = reply();
      ASSERT_EQ(data.size(), 4 + cdb_bytes(opcode));
      EXPECT_EQ(data[1] & 0x87, 0x03) << "supported, without timeouts";
      EXPECT_EQ(data[3], cdb_bytes(opcode));
      EXPECT_EQ(data[4], opcode);
    }
  }
}

// The drive accepts each command with the bits of its usage data, and no others. The field pointer
// names the first byte with another bit.
TEST_F(ScsiReportTest, UsageData_HaveTheBitsThatTheDriveAllows) {
  for (const uint8_t version : {2, 7}) expect_usage_is_allowed(version);
}

// SCSI-2 7.2.2: bits 7-5 of byte 1 are a logical unit. They are reserved in later standards.
TEST_F(ScsiReportTest, UsageData_HaveALogicalUnit_OnlyInScsi2) {
  EXPECT_EQ(report(kOne, 0x28), "00 03 00 0A 28 F8 FF FF FF FF 00 FF FF 00");
  config_.scsi_version = 7;
  EXPECT_EQ(report(kOne, 0x28), "00 03 00 0A 28 18 FF FF FF FF 00 FF FF 00");
  EXPECT_EQ(report(kOneWithAction, 0x9E, 0x10).substr(12, 5), "9E 10");
}

void ScsiReportTest::expect_usage_is_allowed(uint8_t version) {
  config_.scsi_version = version;
  for (const uint8_t opcode : kPlain) {
    report(kOne, opcode);
    const Bytes data = reply();
    const Bytes usage(data.begin() + 4, data.end());
    for (std::size_t byte = 1; byte < usage.size(); ++byte) {
      SCOPED_TRACE(testing::Message() << "opcode " << int{opcode} << ", byte " << byte);
      Bytes cdb(usage.size());
      cdb[0] = opcode;
      cdb[byte] = static_cast<uint8_t>(~usage[byte]);
      if (cdb[byte] == 0) continue;
      SetUp();
      config_.scsi_version = version;
      EXPECT_EQ(execute(cdb), COMMAND_CHECK);
      EXPECT_EQ(sense_text(), "5/24/00");
      EXPECT_EQ(command_.sense.value, byte);
    }
  }
}

// SBC-4: READ(16) and WRITE(16) name a descriptor of page T2A (CDLP 01b) and T2B (10b); RWCDLP 1.
TEST_F(ScsiReportTest, LimitsOfDuration) {
  EXPECT_EQ(report(kOne, 0x88), "01 0B 00 10 88 19 FF FF FF FF FF FF FF FF FF FF FF FF C0 00");
  EXPECT_EQ(report(kOne, 0x8A), "01 13 00 10 8A 19 FF FF FF FF FF FF FF FF FF FF FF FF C0 00");
  for (const uint8_t opcode : kPlain) {
    if (opcode == 0x88 || opcode == 0x8A) continue;
    report(kOne, opcode);
    EXPECT_EQ(reply()[0], 0);
    EXPECT_EQ(reply()[1] & 0x18, 0);
  }
}

// The field of the service action has its number (SPC-4 6.35.3).
TEST_F(ScsiReportTest, ServiceActions) {
  EXPECT_EQ(report(kOneWithAction, 0x9E, 0x10),
            "00 03 00 10 9E 10 FF FF FF FF FF FF FF FF FF FF FF FF 01 00");
  EXPECT_EQ(report(kOneWithAction, 0xA3, 0x0C), "00 03 00 0C A3 0C 87 FF FF FF FF FF FF FF 00 00");
  EXPECT_EQ(report(kOneWithAction, 0x9E, 0x11), "00 01 00 00");
  EXPECT_EQ(report(kOneWithAction, 0x9E, 0x0110), "00 01 00 00");
  for (const uint16_t action : {0, 1}) {
    EXPECT_EQ(report(kOneWithAction, 0x00, action), "5/24/00");  // it has no service action
    EXPECT_EQ(command_.sense.value, 2U);
  }
  EXPECT_EQ(report(kOneWithAction, 0x02, 0), "00 01 00 00");  // it is not supported
  // Reporting options 3: with a service action or without, whichever the operation code has.
  EXPECT_EQ(report(kEither, 0x9E, 0x10), report(kOneWithAction, 0x9E, 0x10));
  EXPECT_EQ(report(kEither, 0x00, 0), report(kOne, 0x00));
  EXPECT_EQ(report(kEither, 0x00, 1), "00 01 00 00");
  EXPECT_EQ(report(kEither, 0x9E, 0), "00 01 00 00");
}

TEST_F(ScsiReportTest, Timeouts_AreThoseOfSupportedCommands) {
  EXPECT_EQ(report(kOne | kTimeouts, 0x00),
            "00 83 00 06 00 E0 00 00 00 00 00 0A 00 00 00 00 00 00 00 00 00 00");
  EXPECT_EQ(report(kOne | kTimeouts, 0x02), "00 01 00 00");
}

TEST_F(ScsiReportTest, AllCommands_EachOnce) {
  for (const bool timeouts : {false, true}) {
    const std::size_t step = timeouts ? 20 : 8;
    report(timeouts ? kTimeouts : 0);
    const Bytes data = reply();
    ASSERT_EQ(data.size(), 4 + step * (kPlain.size() + kWithAction.size()));
    EXPECT_EQ(hex(Bytes(data.begin(), data.begin() + 4)),
              hex({0, 0, static_cast<uint8_t>((data.size() - 4) >> 8),
                   static_cast<uint8_t>(data.size() - 4)}));
    std::set<uint8_t> seen;
    for (std::size_t at = 4; at < data.size(); at += step) {
      const uint8_t opcode = data[at];
      EXPECT_TRUE(seen.insert(opcode).second) << int{opcode};
      const auto action = kWithAction.find(opcode);
      const bool has_action = action != kWithAction.end();
      EXPECT_EQ(data[at + 2] << 8 | data[at + 3], has_action ? action->second : 0);
      const int limits = opcode == 0x88 ? 0x44 : opcode == 0x8A ? 0x48 : 0;
      EXPECT_EQ(data[at + 5], limits | (timeouts ? 2 : 0) | (has_action ? 1 : 0)) << int{opcode};
      EXPECT_EQ(data[at + 6] << 8 | data[at + 7], static_cast<int>(cdb_bytes(opcode)));
      if (timeouts) {
        EXPECT_EQ(data[at + 9], 0x0A);
      }
    }
    for (const uint8_t opcode : kPlain) EXPECT_EQ(seen.count(opcode), 1U) << int{opcode};
  }
}

TEST_F(ScsiReportTest, AllocationLengthCuts) {
  EXPECT_EQ(report(kOne, 0x00, 0, 6), "00 03 00 06 00 E0");
  EXPECT_EQ(report(0, 0, 0, 0), "");
}

TEST_F(ScsiReportTest, ReservedReportingOptionsAreAnInvalidField) {
  for (const uint8_t options : {4, 5, 6, 7}) {
    EXPECT_EQ(report(options), "5/24/00");
    EXPECT_EQ(command_.sense.value, 2U);
  }
}

// Other service actions of MAINTENANCE IN are not supported.
TEST_F(ScsiReportTest, OtherServiceActionsAreAnInvalidField) {
  EXPECT_EQ(execute({0xA3, 0x0D, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0}), COMMAND_CHECK);
  EXPECT_EQ(sense_text(), "5/24/00");
  EXPECT_EQ(command_.sense.value, 1U);
}

}  // namespace
}  // namespace headstack::firmware
