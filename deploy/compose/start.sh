#!/bin/sh
# Fills in the names of a file of deploy/cluster, {{.Name}} by the variable Name, and starts the program that reads it:
#
#   start.sh etcd | patroni | haproxy
set -eu

fill() {
	script=""
	for name in $(grep -o '{{\.[A-Za-z0-9]*}}' "$1" | tr -d '{}.' | sort -u); do
		eval "value=\${$name:?}"
		script="$script;s|{{\\.$name}}|$value|g"
	done
	sed "$script" "$1" >"$2"
}

umask 077
mkdir -p "$Folder"
case "$1" in
etcd)
	fill /files/etcd.yml "$Folder/etcd.yml"
	exec etcd --config-file "$Folder/etcd.yml"
	;;
patroni)
	mkdir -p "$Folder/data"
	fill /files/patroni.yml "$Folder/patroni.yml"
	fill /files/create-database.sh "$Folder/create-database.sh"
	chmod 700 "$Folder/create-database.sh"
	exec patroni "$Folder/patroni.yml"
	;;
haproxy)
	fill /files/haproxy.cfg "$Folder/haproxy.cfg"
	exec haproxy -db -f "$Folder/haproxy.cfg"
	;;
*)
	echo "start.sh: $1 is none of etcd, patroni and haproxy" >&2
	exit 2
	;;
esac
