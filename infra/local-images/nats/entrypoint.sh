#!/bin/sh
# As in the official image: options are passed to nats-server.
set -e
case "$1" in -*) set -- nats-server "$@" ;; esac
exec "$@"
