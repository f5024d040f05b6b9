# SPDX-License-Identifier: Apache-2.0
"""The clock of the simulated electronics: what an event log counts in."""

CLOCK_PS = 25_000  # sim/soc/soc_ports.hpp
