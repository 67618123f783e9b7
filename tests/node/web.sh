#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A web server with the files of nginx's folder. It ends well when it is asked to.
trap 'exit 0' TERM
busybox httpd -f -p 80 -h /usr/share/nginx/html &
wait $!
