#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A service that does nothing, ends well when it is asked to, and ends by itself when /tmp/end appears, with the code in it.
trap 'exit 0' TERM
until [ -e /tmp/end ]; do
  sleep 1 &
  wait $!
done
exit "$(cat /tmp/end)"
