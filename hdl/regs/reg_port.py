# SPDX-License-Identifier: Apache-2.0
"""The register port of headstack's blocks, as an interface of PeakRDL's register blocks (`--cpuif reg-port`).

`peakrdl.toml` beside this file registers it. A register block has the two ports `reg_req_i` and `reg_rsp_o`, structs of
hdl/ports/reg_pkg.sv. Otherwise each block would have to connect an interface by hand.
"""

from peakrdl_regblock.cpuif import CpuifBase


class RegPort(CpuifBase):
    """One access in one cycle. What the block may not do (stall, answer later) is asserted in the template."""

    template_path = "reg_port.sv.jinja"

    @property
    def port_declaration(self) -> str:
        """The ports between reset and the hardware's side."""
        return "input reg_pkg::reg_req_t reg_req_i,\noutput reg_pkg::reg_rsp_t reg_rsp_o"
