rockspec_format = "3.0"
package = "perfmodel"
version = "scm-1"
-- In a checkout: luarocks make. The rock holds the library; nothing else has to be installed but libxml2.
source = {
  url = "git+file://.",
}
description = {
  summary = "Closed-form performance model of deep learning on GPU systems",
  detailed = [[
How fast will this network train on that machine, and what limits it? Exact layer counts, roofline kernel times and
all-reduce over the real link graph, with a catalogue of GPUs, systems and networks.]],
  license = "MIT",
}
dependencies = {
  "lua >= 5.1",
}
external_dependencies = {
  LIBXML2 = {
    header = "libxml2/libxml/parser.h",
  },
}
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    BUILD_SHARED_LIBS = "OFF",
    PM_LUA = "ON",
    PM_TOOL = "OFF",
    LUA_INCDIR = "$(LUA_INCDIR)",
    LIBDIR = "$(LIBDIR)",
    LUADIR = "$(LUADIR)",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
  },
}
