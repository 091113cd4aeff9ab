#!/bin/sh
# As the official image: options go to nats-server.
set -e
case "$1" in -*) set -- nats-server "$@" ;; esac
exec "$@"
