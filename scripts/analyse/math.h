/* Before the system's for clang's warnings: in C11 these two are floats, and nothing else in the sources is one. */
#include_next <math.h>
#undef NAN
#undef INFINITY
#define NAN __builtin_nan("")
#define INFINITY __builtin_inf()
