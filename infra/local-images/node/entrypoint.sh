#!/bin/sh
# As in the official image: options and scripts are passed to node, commands are run.
set -e
case "$1" in -*) set -- node "$@" ;; esac
command -v "$1" >/dev/null || set -- node "$@"
exec "$@"
