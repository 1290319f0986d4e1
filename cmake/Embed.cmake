# Run as a script: writes a C file with the bytes of every data file.
#   cmake -DROOT=<data folder> -DOUTPUT=<file.c> -DFILES=<a;b;...> -P Embed.cmake
# The C file defines pm__lab_embedded_files[] and pm__lab_embedded_count of lab/src/shipped/embedded.h.
set(arrays "")
set(rows "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "static const unsigned char file${index}[] = {\n${hex}0x00};\n")
  string(APPEND rows "  {\"${file}\", file${index}, ${size}},\n")
  math(EXPR index "${index} + 1")
endforeach()
set(text "#include \"shipped/embedded.h\"\n${arrays}const pm__lab_embedded_file pm__lab_embedded_files[] = {\n")
string(APPEND text "${rows}  {NULL, NULL, 0},\n};\nconst size_t pm__lab_embedded_count = ${index};\n")
file(WRITE "${OUTPUT}" "${text}")
