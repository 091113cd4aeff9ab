# Sourced. The mirrors that apt on this machine uses: others may not be reachable.
find_mirror() { { cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } | grep -v '^#' | grep -oE "https?://[^ ]+$1/?( |$)" | head -n 1 | tr -d ' '; }
DEBIAN_MIRROR=${DEBIAN_MIRROR:-$(find_mirror /debian || true)}
DEBIAN_SECURITY_MIRROR=${DEBIAN_SECURITY_MIRROR:-$(find_mirror /debian-security || true)}
: "${DEBIAN_MIRROR:?the apt sources contain no Debian mirror: set it}" "${DEBIAN_SECURITY_MIRROR:?the apt sources contain no mirror of Debian security updates: set it}"
