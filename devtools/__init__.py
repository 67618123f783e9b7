# SPDX-License-Identifier: Apache-2.0
"""The commands `./dev run` and `./dev cluster`."""
