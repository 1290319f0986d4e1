# Strict warnings for our own targets only; an error only where PM_WERROR asks for it.
function(pm_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wdouble-promotion -Wvla
    -Wformat=2 -Wc++-compat -ffp-contract=off $<$<BOOL:${PM_WERROR}>:-Werror>)
endfunction()
