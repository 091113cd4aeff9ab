# Sourced. The mirrors this machine's own apt uses: others may not be reachable.
mirror_of() { { cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } | grep -v '^#' | grep -oE "https?://[^ ]+$1/?( |$)" | head -n 1 | tr -d ' '; }
DEBIAN_MIRROR=${DEBIAN_MIRROR:-$(mirror_of /debian)}
DEBIAN_SECURITY_MIRROR=${DEBIAN_SECURITY_MIRROR:-$(mirror_of /debian-security)}
: "${DEBIAN_MIRROR:=http://deb.debian.org/debian}" "${DEBIAN_SECURITY_MIRROR:=http://deb.debian.org/debian-security}"
