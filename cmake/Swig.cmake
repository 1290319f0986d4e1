# SWIG makes the modules of Python and Lua of one interface. Without it says where it comes from.
function(pm_need_swig language)
  find_program(SWIG_EXECUTABLE NAMES swig swig4.0)
  if(NOT SWIG_EXECUTABLE)
    message(FATAL_ERROR "The ${language} module needs SWIG 4.1 or newer, which is not installed. "
      "Install it with \"apt-get install swig\" or \"pip install swig\", "
      "or leave the module out: -DPM_PYTHON=OFF -DPM_LUA=OFF")
  endif()
endfunction()
