# Header, library, pkg-config file and CMake package. The command and the language modules install themselves.
include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/libperfmodel/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
set(libraries perfmodel)
if(PM_LAB)
  install(FILES "${PROJECT_SOURCE_DIR}/lab/include/perfmodel-lab.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  list(APPEND libraries perfmodel_lab)
endif()
# The component "program" is what runs: the libraries, the command, the Python package. Pip installs it alone.
install(TARGETS ${libraries} EXPORT perfmodel-targets
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT program NAMELINK_COMPONENT Unspecified
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")

# For editors and to begin from; pip puts them at the same places below its prefix.
install(FILES "${PROJECT_BINARY_DIR}/libperfmodel/perfmodel.xsd" DESTINATION "${CMAKE_INSTALL_DATADIR}/perfmodel")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DATADIR}/perfmodel"
        PATTERN "CMakeLists.txt" EXCLUDE)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/perfmodel")
install(EXPORT perfmodel-targets NAMESPACE perfmodel:: DESTINATION "${package}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/perfmodel-config.cmake.in"
  "${PROJECT_BINARY_DIR}/perfmodel-config.cmake" INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/perfmodel-config-version.cmake"
  COMPATIBILITY SameMinorVersion) # before 1.0 the interface may change with any minor version
install(FILES "${PROJECT_BINARY_DIR}/perfmodel-config.cmake" "${PROJECT_BINARY_DIR}/perfmodel-config-version.cmake"
        DESTINATION "${package}")

# Folders below the prefix stay relative to the file, so the installed tree can be moved.
cmake_path(APPEND CMAKE_INSTALL_LIBDIR "pkgconfig" OUTPUT_VARIABLE pkgconfig)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(PM_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${pkgconfig}" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(PM_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(folder IN ITEMS INCLUDEDIR LIBDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(PM_PC_${folder} "${CMAKE_INSTALL_${folder}}")
  else()
    set(PM_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
# A shared library brings libxml2, zlib and libm itself; a static one needs them on the link line.
if(BUILD_SHARED_LIBS)
  set(PM_PC_LINK "Requires.private: libxml-2.0 zlib\nLibs: -L\${libdir} -lperfmodel\nLibs.private: -lm")
else()
  set(PM_PC_LINK "Requires: libxml-2.0 zlib\nLibs: -L\${libdir} -lperfmodel -lm")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/perfmodel.pc.in" "${PROJECT_BINARY_DIR}/perfmodel.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/perfmodel.pc" DESTINATION "${pkgconfig}")
if(PM_LAB)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/perfmodel-lab.pc.in" "${PROJECT_BINARY_DIR}/perfmodel-lab.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/perfmodel-lab.pc" DESTINATION "${pkgconfig}")
endif()
