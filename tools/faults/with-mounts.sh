#!/bin/sh
# Runs a program with mounts of its own, which end with it, so that a test can give a machine a small disk. A user other
# than root may then mount as well, where the kernel lets users make namespaces.
set -eu
if [ "$(id -u)" -eq 0 ]; then
	exec unshare --mount "$@"
fi
exec unshare --user --map-current-user --keep-caps --mount "$@"
