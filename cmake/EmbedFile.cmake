# Run as a script: writes a C file with the bytes of one file.
#   cmake -DFILE=<file> -DOUTPUT=<file.c> -DNAME=<symbol> -P EmbedFile.cmake
# The C file defines `const unsigned char <symbol>[]` and `const size_t <symbol>_size`.
file(READ "${FILE}" hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
set(text "#include \"measured.h\"\nconst unsigned char ${NAME}[] = {\n${hex}0x00};\n")
string(APPEND text "const size_t ${NAME}_size = ${size};\n")
file(WRITE "${OUTPUT}" "${text}")
