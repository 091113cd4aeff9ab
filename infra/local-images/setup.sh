#!/usr/bin/env bash
# Installs Docker, compose and stand-in images on a bare Debian 12. Prints the environment variables to use; reports its progress on stderr.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
registry=localhost/stand-in
report() { echo "local-images: $* (${SECONDS} s)" >&2; }

install_packages() {
  local missing=()
  command -v dockerd >/dev/null || missing+=(docker.io iptables)
  command -v debootstrap >/dev/null || missing+=(debootstrap)
  [ ${#missing[@]} -gt 0 ] || return 0
  report "installing ${missing[*]}"
  apt-get update -qq >&2
  # The package would start another daemon, possibly on another socket.
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" ca-certificates >&2
}

start_daemon() {
  setsid nohup dockerd ${DOCKER_HOST:+--host "$DOCKER_HOST"} >>"${DOCKERD_LOG:-/var/log/quittance-dockerd.log}" 2>&1 </dev/null &
  local daemon=$!
  for _ in $(seq 300); do
    docker info >/dev/null 2>&1 && return 0
    kill -0 "$daemon" 2>/dev/null || return 1
    sleep 0.2
  done
  return 1
}

provide_daemon() {
  docker info >/dev/null 2>&1 && return 0
  [ "$(id -u)" = 0 ] || { report 'no Docker daemon responds, and only root can start one'; exit 1; }
  install_packages
  docker info >/dev/null 2>&1 && return 0
  # After a killed daemon, the first start may fail on its leftovers and removes them; the second succeeds.
  start_daemon || start_daemon || { report 'dockerd did not start:'; tail -5 "${DOCKERD_LOG:-/var/log/quittance-dockerd.log}" >&2; exit 1; }
  report "dockerd $(docker version --format '{{.Server.Version}}') is running"
}

provide_daemon
install_packages
docker compose version >/dev/null 2>&1 && docker buildx version >/dev/null 2>&1 || { "$here/install-compose.sh" >&2; report "$(docker compose version --short) is the compose plugin"; }
"$here/make-images.sh" "$registry" >&2
report 'images are ready'

cat <<ENV
${DOCKER_HOST:+export DOCKER_HOST=$DOCKER_HOST}
export NODE_IMAGE=$registry/node:24-bookworm-slim POSTGRES_IMAGE=$registry/postgres:18-bookworm NATS_IMAGE=$registry/nats:2-bookworm
# The helper images of Testcontainers need a registry too.
export TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HOST_OVERRIDE=localhost DOCKER_BUILDKIT=1
ENV
