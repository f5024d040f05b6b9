// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/scsi_target_pins.hpp"

#include "Vscsi_target.h"
#include "tests/rtl/coverage.hpp"
#include "tests/rtl/reg_port.hpp"

namespace headstack::contract {

struct ScsiTargetPins::Model {
  VerilatedContext context;
  Vscsi_target dut{&context, ""};
};

ScsiTargetPins::ScsiTargetPins() : model_(std::make_unique<Model>()) {
  Vscsi_target& dut = model_->dut;
  dut.clk_i = dut.reg_clk_i = 0;
  dut.rst_ni = 1;
  dut.eval();
  dut.rst_ni = 0;
  dut.eval();
  dut.rst_ni = 1;
  dut.eval();
}

ScsiTargetPins::~ScsiTargetPins() {
  model_->dut.final();
  rtl_test::keep_coverage(model_->context);
}

void ScsiTargetPins::access(bool write, std::uint32_t offset, std::uint32_t value) {
  Vscsi_target& dut = model_->dut;
  dut.reg_req_i = reg_port::request(write, offset, value);
}

std::uint32_t ScsiTargetPins::peek(std::uint32_t offset) {
  Vscsi_target& dut = model_->dut;
  dut.reg_req_i = reg_port::request(false, offset, 0);
  dut.eval();
  const std::uint32_t value = reg_port::data(dut.reg_rsp_o);
  dut.reg_req_i = reg_port::kNone;
  dut.eval();
  return value;
}

void ScsiTargetPins::edge(std::uint32_t lines) {
  Vscsi_target& dut = model_->dut;
  dut.pins_i = entry_;
  const ports::BytesFromBuffer in{room != 0, !source.empty(),
                                  source.empty() ? std::uint8_t{0} : source.front()};
  dut.host_i = in.word();
  dut.eval();
  read_data_ = reg_port::data(dut.reg_rsp_o);
  failed_ = reg_port::failed(dut.reg_rsp_o);
  const auto out = ports::BytesToBuffer::of(dut.host_o);
  if (in.rd_valid && out.rd_ready) source.pop_front();
  if (in.wr_ready && out.wr_valid) {
    sink.push_back(out.wr_data);
    --room;
  }
  dut.clk_i = dut.reg_clk_i = 1;
  dut.eval();
  dut.clk_i = dut.reg_clk_i = 0;
  dut.reg_req_i = reg_port::kNone;
  dut.eval();
  entry_ = lines;
}

std::uint32_t ScsiTargetPins::pins() const { return model_->dut.pins_o; }
bool ScsiTargetPins::irq() const { return model_->dut.irq_o != 0; }

}  // namespace headstack::contract
