#!/bin/sh
# Replaces processes of the program one after the other, without an error that a client sees:
#
#   rolling-upgrade.sh garoupa-web@8081 garoupa-web@8082 garoupa-jobs@8091 garoupa-jobs@8092
#
# Each argument is a unit of systemd on this machine (deploy/systemd), and what follows the @ is its port. Put the new
# program in place first. RESTART replaces "systemctl restart".
set -eu

for unit in "$@"; do
	address="127.0.0.1:${unit##*@}"
	# The old process answers 503 at /readyz for GAROUPA_DRAIN_TIME before it stops, so that HAProxy leads
	# clients to the others meanwhile. The first new process migrates.
	echo "$unit: restart"
	${RESTART:-systemctl restart} "$unit"
	left=180
	until curl --fail --silent --output /dev/null --max-time 5 "http://$address/readyz"; do
		left=$((left - 1))
		if [ "$left" -eq 0 ]; then
			echo "$unit is not ready after three minutes; the other processes were left alone" >&2
			exit 1
		fi
		sleep 1
	done
	# HAProxy asks twice a second, and wants two answers before it leads clients there.
	sleep 3
	echo "$unit: ready"
done
