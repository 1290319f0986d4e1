#!/bin/sh
# Usage: check_hardening.sh FILE...
# Looks into libraries and programs for the guards of cmake/Hardening.cmake, and for a search path that names a folder of the
# machine that built an installed one: only what begins with $ORIGIN may stand there.
set -eu
export LC_ALL=C
failed=0
say() { echo "hardening: $1" >&2; failed=1; }
for file; do
  dynamic=$(readelf -d "$file")
  headers=$(readelf -lW "$file")
  symbols=$(nm -D "$file")
  case $headers in *GNU_RELRO*) ;; *) say "$file can be written where it was relocated";; esac
  echo "$headers" | grep -q 'GNU_STACK.* RW ' || say "the stack of $file can be executed"
  echo "$dynamic" | grep -qw 'BIND_NOW\|NOW' || say "$file looks functions up late"
  echo "$headers" | grep -q 'Elf file type is DYN' || say "$file stands at a fixed address"
  case $symbols in *__stack_chk_fail*) ;; *) say "$file has no canary on the stack";; esac
  case $symbols in *_chk@*) ;; *) say "$file has no checked copies";; esac
  echo "$dynamic" | grep 'R.*PATH' | grep -v '\[$ORIGIN' && [ -z "${PM_BUILD_TREE:-}" ] && say "$file is bound to a folder"
done
[ $failed = 0 ] && echo "hardening: $# files, ok"
exit $failed
