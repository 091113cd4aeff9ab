#!/bin/sh
# As the official image: options and scripts go to node, commands are run.
set -e
case "$1" in -*) set -- node "$@" ;; esac
command -v "$1" >/dev/null || set -- node "$@"
exec "$@"
