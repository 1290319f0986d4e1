# Run as a script: -DPROGRAM=<writes the schema> -DSCHEMA=<what it must equal>
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE written RESULT_VARIABLE result)
file(READ "${SCHEMA}" stored)
if(NOT result EQUAL 0 OR NOT written STREQUAL stored)
  message(FATAL_ERROR "${SCHEMA} is not what the field tables say; write it anew with: cmake --build . --target schema")
endif()
