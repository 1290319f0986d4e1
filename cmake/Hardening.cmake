# Guards of the compiler and the linker, for every target: a canary on the stack, checked copies, addresses that are found at the
# start and then kept from writing, programs that can stand anywhere. scripts/check_hardening.sh looks for them.
include(CheckPIESupported)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
check_pie_supported(LANGUAGES C)
if(PM_HARDEN AND NOT PM_SANITIZE AND NOT PM_SANITIZE_THREADS)
  check_c_compiler_flag(-fstack-protector-strong PM_HAS_STACK_PROTECTOR)
  if(PM_HAS_STACK_PROTECTOR)
    add_compile_options(-fstack-protector-strong)
  endif()
  # Checked copies need optimization; whoever builds may have asked for a level of his own. At level 3 sizes that are known
  # only when the program runs are checked too.
  set(PM_FORTIFY 2)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(PM_FORTIFY 3)
  endif()
  add_compile_options("$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>" "$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=${PM_FORTIFY}>")
  check_linker_flag(C -Wl,-z,relro,-z,now,-z,noexecstack PM_HAS_RELRO)
  if(PM_HAS_RELRO)
    add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
  endif()
endif()
