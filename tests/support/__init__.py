# SPDX-License-Identifier: Apache-2.0
"""Helpers of ./dev run, the integration tests and the benchmark: a real control plane, a simulated node, the three
services."""
