#!/bin/sh
# Debian packages, in build/debian-packages: the source package, what is built of it, what lintian says of both, and its use on
# an empty Debian 12, where one number is the same from the command, C, Python and every Lua.
#
#     scripts/debian.sh
#
# The empty system is a folder made by debootstrap; root only. PERFMODEL_BARE names another folder than its own.
set -eu
cd "$(dirname "$0")/.."
# shellcheck source=scripts/need.sh
. scripts/need.sh
work=$PWD/build/debian-packages
bare=${PERFMODEL_BARE:-$work/bookworm}

need_build
need dpkg-dev has dpkg-buildpackage
need debhelper has dh
need dh-python has dh_python3
need swig has swig
need python3-dev [ -e /usr/include/python3.11/Python.h ]
need python3-numpy /usr/bin/python3 -c "import numpy"
need liblua5.1-0-dev [ -e /usr/include/lua5.1/lua.h ]
for version in 2 3 4; do need liblua5.$version-dev [ -e /usr/include/lua5.$version/lua.h ]; done
need lintian has lintian
need debootstrap has debootstrap
install_missing

# logged FILE COMMAND...: the end of what it says if it fails.
logged() {
  log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 30 "$log" >&2; return 1; }
}

# The packages, of the source package and not of this folder.
packages() {
  version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
  rm -rf "$work/perfmodel-$version" "$work/checkout" "$work"/*.deb
  mkdir "$work/checkout"
  tar -c --exclude=./build* --exclude=./.git . | tar -x -C "$work/checkout"
  (cd "$work" && dpkg-source -b checkout && dpkg-source --no-check -x "perfmodel_$version.dsc" "perfmodel-$version" &&
    cd "perfmodel-$version" && DEB_BUILD_OPTIONS="parallel=$(jobs)" dpkg-buildpackage -us -uc -b)
}

# An empty system, which lacks the kernel's folders until they are bound.
empty_system() {
  [ -e "$bare/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$bare" http://deb.debian.org/debian
  cp /etc/resolv.conf "$bare/etc/"
  mkdir -p "$bare/packages"
}

# inside COMMAND...: in the empty system, with the packages and the source beside it, in mounts that end with it.
inside() {
  unshare --mount sh -eu -c 'bare=$1 packages=$2; shift 2
    mount -t proc proc "$bare/proc"
    mount --bind /dev "$bare/dev"
    mount --bind "$packages" "$bare/packages"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive chroot "$bare" "$@"' sh "$bare" "$work" "$@"
}

install_and_use() {
  inside sh -eu -c 'apt-get -qq update
    apt-get -qq install -y --no-install-recommends /packages/*.deb gcc libc6-dev pkg-config lua5.1 lua5.2 lua5.3 lua5.4 luajit
    cd /packages/checkout && sh debian/tests/installed'
}

mkdir -p "$work"
logged "$work/build.log" packages
lintian --fail-on error,warning "$work"/perfmodel_*.dsc "$work"/perfmodel_*.changes
logged "$work/bare.log" empty_system
logged "$work/install.log" install_and_use
grep -E ': the same$|^command: ' "$work/install.log"
ls -l "$work"/*.deb
