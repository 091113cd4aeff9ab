#!/usr/bin/env bash
# Debian 12 has no compose v2; the plugins of trixie are static programs. They are fetched with a separate state directory, so that the system's apt is unchanged.
set -euo pipefail
. "$(dirname "$0")/mirrors.sh"
plugins=${DOCKER_CONFIG:-$HOME/.docker}/cli-plugins
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$plugins"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $DEBIAN_MIRROR trixie main" >"$work/sources.list"
apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
  -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false)
"${apt[@]}" update
(cd "$work" && "${apt[@]}" download docker-compose docker-buildx)
for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/unpacked"; done
cp -a "$work"/unpacked/usr/libexec/docker/cli-plugins/* "$plugins/"
