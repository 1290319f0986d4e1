# Sourced by scripts that build a library another way than Debian does: its source, checked against Debian's keys, with lists of
# packages of our own, so that nothing is installed.
#   debian_source SUITE PACKAGE FOLDER    unpacks it into FOLDER/source
# shellcheck shell=sh
debian_source() {
  [ -e "$3/source" ] && return 0
  mkdir -p "$3/lists/partial" "$3/cache/archives/partial"
  touch "$3/status"
  echo "deb-src http://deb.debian.org/debian $1 main" >"$3/sources.list"
  options="-qq -o APT::Sandbox::User=root -o Dir::State=$3 -o Dir::State::status=$3/status -o Dir::Cache=$3/cache
    -o Dir::Etc::sourcelist=$3/sources.list -o Dir::Etc::sourceparts=$3/none"
  # shellcheck disable=SC2086 # options
  (cd "$3" && apt-get $options update && apt-get $options source --download-only "$2") &&
    dpkg-source --no-check -q -x "$3/$2"_*.dsc "$3/unpacked" && mv "$3/unpacked" "$3/source"
}

# cmake_install FOLDER OPTION...: builds FOLDER/source and installs it into FOLDER/prefix.
cmake_install() {
  built=$1
  shift
  [ -e "$built/done" ] && return 0
  cmake -S "$built/source" -B "$built/build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$built/prefix" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
    "$@" >"$built/log" 2>&1 && cmake --build "$built/build" -j "$(jobs)" >>"$built/log" 2>&1 &&
    cmake --install "$built/build" >>"$built/log" 2>&1 && touch "$built/done" && return 0
  tail -n 20 "$built/log"
  return 1
}

# What of libxml2 is not used by the library.
libxml2_options="-DLIBXML2_WITH_PYTHON=OFF -DLIBXML2_WITH_ICU=OFF -DLIBXML2_WITH_LZMA=OFF -DLIBXML2_WITH_ZLIB=OFF -DLIBXML2_WITH_TESTS=OFF
  -DLIBXML2_WITH_PROGRAMS=OFF"
