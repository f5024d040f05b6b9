// SPDX-License-Identifier: Apache-2.0
#include "tests/core/csr_program.hpp"

#include "tests/core/assembler.hpp"

namespace headstack::core::test {
namespace {

constexpr unsigned kMstatus = 0x300, kMie = 0x304, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343;
constexpr unsigned kMinstret = 0xB02;
constexpr std::uint32_t kVectors = 32;
constexpr std::uint32_t kStart = 0x80;  // Ibex's first instruction
constexpr std::uint32_t kHandler = 0x100;
constexpr std::uint32_t kMain = 0x200;
constexpr std::uint32_t kKept = 0x8'0000;  // stored values, in order
constexpr std::uint32_t kJumpsBytes = 4;
constexpr std::uint32_t kMppMachine = 0x1800;
constexpr std::uint32_t kTw = 1U << 21;
constexpr std::uint32_t kUserCall = 8;  // of mcause

// Registers: x1 and x2 belong to the handler, x3 is the place of the next stored word.
constexpr Reg kTrap = 1, kTrapValue = 2, kPlace = 3, kOld = 4, kNew = 5, kBits = 6, kOther = 7;

class CsrAssembler : public Assembler {
 public:
  CsrAssembler() : Assembler(0) {
    for (std::uint32_t vector = 0; vector < kVectors; ++vector) jump_to(kHandler);
    fill_to(kStart);
    jump_to(kMain);
    fill_to(kHandler);
    handler();
    fill_to(kMain);
    li(kPlace, kKept);
  }

  void keep(Reg value) {
    sw(value, kPlace, 0);
    addi(kPlace, kPlace, 4);
  }
  /// Enters user mode with the next instruction.
  void enter_user_mode(std::uint32_t mstatus = 0) {
    li(kNew, kMppMachine);
    csr(3, 0, kMstatus, kNew);  // MPP: user mode
    li(kNew, mstatus);
    csr(2, 0, kMstatus, kNew);
    word(kNew << 7 | 0x17);  // auipc
    addi(kNew, kNew, 16);
    csr(1, 0, kMepc, kNew);
    mret();
  }
  void ecall() { word(0x0000'0073); }
  void dret() { word(0x7B20'0073); }
  void end() {
    // Only code before a wfi must be in line with the fetch queue.
    word(j_type(kJumpsBytes, 0));
    wfi();
    word(j_type(static_cast<std::uint32_t>(-4), 0));
  }

 private:
  void jump_to(std::uint32_t address) { word(j_type(address - at(), 0)); }
  void fill_to(std::uint32_t address) {
    while (at() < address) word(0x13);
  }
  /// The handler stores cause and value, and continues after the instruction in the same mode.
  /// After an ecall of user mode it continues in machine mode.
  void handler() {
    csr(2, kTrap, kMcause, 0);
    keep(kTrap);
    csr(2, kTrap, kMtval, 0);
    keep(kTrap);
    csr(2, kTrapValue, kMepc, 0);
    addi(kTrapValue, kTrapValue, 4);
    csr(1, 0, kMepc, kTrapValue);
    csr(2, kTrap, kMcause, 0);
    addi(kTrap, kTrap, 0U - kUserCall);
    word(b_type(16, 0, kTrap, 1));
    li(kTrap, kMppMachine);
    csr(2, 0, kMstatus, kTrap);
    mret();
  }
};

/// Accesses a CSR with csrrs, csrrw, csrrs with bits, csrrc with bits, the forms with an immediate,
/// and restores it.
void access(CsrAssembler& code, unsigned number) {
  code.csr(2, kOld, number, 0);
  code.keep(kOld);
  code.csr(1, kOther, number, kNew);
  code.keep(kOther);
  code.csr(2, kOther, number, kBits);
  code.keep(kOther);
  code.csr(3, kOther, number, kNew);
  code.keep(kOther);
  code.csr(6, kOther, number, 0x15);
  code.csr(7, kOther, number, 0x06);
  code.keep(kOther);
  code.csr(1, kOther, number, kOld);
  code.keep(kOther);
}

}  // namespace

std::vector<std::uint8_t> csr_program(unsigned first, unsigned count, bool user) {
  CsrAssembler code;
  if (user) code.enter_user_mode();
  // Interrupts stay off: MIE and the enables are set only during an access to them.
  code.li(kNew, 0xA5A5'52D2);
  code.li(kBits, 0x5A5A'A52D);
  for (unsigned number = first; number < first + count; ++number) access(code, number);
  code.end();
  return code.bytes();
}

std::vector<std::uint8_t> counter_program() {
  CsrAssembler code;
  const auto read = [&code] {
    code.csr(2, kOld, kMinstret, 0);
    code.keep(kOld);
  };
  for (int times = 0; times < 10; ++times) {
    read();
    code.word(Assembler::j_type(kJumpsBytes, 0));
    read();
    code.r_type(1, kOld, kOld, 5, kOther, 0x33);  // divu
    read();
    code.ecall();
    read();
    code.lw(kOther, kPlace, 0);
    read();
    code.lw(kOther, kPlace, 0);
    code.csr(2, kOld, kMinstret, kOther);  // waits for the load
    code.keep(kOld);
  }
  code.end();
  return code.bytes();
}

std::vector<std::uint8_t> user_wait_program() {
  CsrAssembler code;
  for (int times = 0; times < 10; ++times) {
    code.enter_user_mode(kTw);
    code.wfi();
    code.dret();
    code.ecall();
  }
  code.end();
  return code.bytes();
}

}  // namespace headstack::core::test
