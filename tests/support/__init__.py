# SPDX-License-Identifier: Apache-2.0
"""What ./dev run, the integration tests and the benchmark share: a real control plane, a pretended node, the three services."""
