# SPDX-License-Identifier: Apache-2.0
"""The version of this library. pyproject.toml has the same."""

__version__ = "0.1.0"
