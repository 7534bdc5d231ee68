# Run as a script: names each line under boon/ that writes to stdout or stderr, but for those of boon/cli, whose work
# that is, and of tests (isa_skip.h says why it skips them), benchmarks and fuzz targets.
cmake_minimum_required(VERSION 3.25)

set(stream "(std::(cout|cerr|clog)|stdout|stderr|STDOUT_FILENO|STDERR_FILENO)")
set(call "(printf|vprintf|puts|putchar|perror|fmt::print|fmt::println)[ ]*\\(")

file(GLOB_RECURSE files "${ROOT}/boon/*.h" "${ROOT}/boon/*.cc")
list(FILTER files EXCLUDE REGEX "/boon/cli/|_(test|bench|fuzz)\\.(h|cc)$|/isa_skip\\.h$")
set(broken 0)
foreach(file IN LISTS files)
  file(STRINGS "${file}" lines REGEX "(^|[^A-Za-z0-9_])(${stream}|${call})")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "//.*" "" code "${line}")
    if(code MATCHES "(^|[^A-Za-z0-9_])(${stream}|${call})")
      message("${file}: only boon/cli prints: ${line}")
      math(EXPR broken "${broken} + 1")
    endif()
  endforeach()
endforeach()
if(broken)
  message(FATAL_ERROR "${broken} lines print")
endif()
