// SPDX-License-Identifier: Apache-2.0
#include "sim/initiator/initiator.hpp"

namespace headstack::initiator {

Initiator::Initiator(sc_core::sc_module_name name, bus::ScsiBus& bus, const Config& config)
    : sc_module(name),
      HostAdapter(config),
      link_("link", bus, config.id, config.times, link_client(), byte_client()) {
  attach(link_);
}

}  // namespace headstack::initiator
