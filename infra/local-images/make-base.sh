#!/usr/bin/env bash
# Builds a small Debian image: make-base.sh IMAGE FOLDER
set -euo pipefail
. "$(dirname "$0")/mirrors.sh"
image=$1 root=$2
mkdir -p "$root"
debootstrap --variant=minbase bookworm "$root" "$DEBIAN_MIRROR" >"$root.log" 2>&1 || { tail -20 "$root.log"; exit 1; }

cat >"$root/etc/apt/sources.list" <<LIST
deb $DEBIAN_MIRROR bookworm main
deb $DEBIAN_MIRROR bookworm-updates main
deb $DEBIAN_SECURITY_MIRROR bookworm-security main
LIST
# As in the official slim images: no manuals, no translations, no services that start at installation.
printf 'path-exclude /usr/share/%s/*\n' doc man info locale >"$root/etc/dpkg/dpkg.cfg.d/docker"
printf 'path-include /usr/share/doc/*/copyright\nforce-unsafe-io\n' >>"$root/etc/dpkg/dpkg.cfg.d/docker"
# A frozen mirror has expired release files.
printf 'Acquire::Languages "none";\nAcquire::Check-Valid-Until "false";\nAcquire::Retries "3";\nAPT::Install-Recommends "false";\n' >"$root/etc/apt/apt.conf.d/docker"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"

# Extra certificate authorities of this machine: without them npm inside a build trusts no server.
mkdir -p "$root/etc/ssl" "$root/usr/local/share/ca-certificates"
: >"$root/etc/ssl/extra-authorities.pem"
for authority in /usr/local/share/ca-certificates/*.crt; do
  [ -e "$authority" ] || continue
  cp "$authority" "$root/usr/local/share/ca-certificates/"
  { cat "$authority"; echo; } >>"$root/etc/ssl/extra-authorities.pem"
done

rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*.log "$root"/usr/share/{man,info} "$root"/etc/resolv.conf
find "$root/usr/share/doc" \( -type f ! -name copyright -o -type l \) -delete
find "$root/usr/share/locale" -mindepth 1 -delete
mkdir -p "$root/var/cache/apt/archives/partial"
tar -C "$root" --numeric-owner -c . | docker import --change 'CMD ["bash"]' \
  --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$image" >/dev/null
rm -rf --one-file-system "$root"
