# Sourced. The mirrors this machine's own apt uses: others may not be reachable.
mirror_of() { { cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } | grep -v '^#' | grep -oE "https?://[^ ]+$1/?( |$)" | head -n 1 | tr -d ' '; }
DEBIAN_MIRROR=${DEBIAN_MIRROR:-$(mirror_of /debian || true)}
DEBIAN_SECURITY_MIRROR=${DEBIAN_SECURITY_MIRROR:-$(mirror_of /debian-security || true)}
: "${DEBIAN_MIRROR:?no mirror of Debian is among the sources of apt: set it}" "${DEBIAN_SECURITY_MIRROR:?no mirror of its security updates is among the sources of apt: set it}"
