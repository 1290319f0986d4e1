#!/bin/sh
# Usage: abi_since.sh ABIDIFF DUMP LIBRARY HEADERS
# Tells how the public interface differs from a release's dump (written by abidw, compressed). Differences are no failure.
set -eu
dump=$(mktemp)
trap 'rm -f "$dump"' EXIT
gzip -dc "$2" >"$dump"
"$1" --drop-private-types --headers-dir2 "$4" "$dump" "$3" || [ $(($? & 3)) = 0 ]
