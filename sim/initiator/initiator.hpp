// SPDX-License-Identifier: Apache-2.0
// A host adapter on the parallel bus of pins.
#pragma once

#include "sim/initiator/host_adapter.hpp"
#include "sim/initiator/link.hpp"

namespace headstack::initiator {

/// Calls back from its own process.
class Initiator : public sc_core::sc_module, public HostAdapter {
 public:
  Initiator(sc_core::sc_module_name name, bus::ScsiBus& bus, const Config& config);

 private:
  Link link_;
};

}  // namespace headstack::initiator
