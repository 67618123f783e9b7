#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Holds a Pod's namespaces.
exec sleep 2147483647
