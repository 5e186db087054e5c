# FASTGEMM_SANITIZE: "address;undefined" or "thread" instruments all host code of the build; device code never is.
# tests/sanitize.sh makes such builds and runs the host tests in them.
set(FASTGEMM_SANITIZE "" CACHE STRING "Sanitizers for host code: address;undefined, or thread; empty: none")
if(NOT FASTGEMM_SANITIZE)
  return()
endif()
list(JOIN FASTGEMM_SANITIZE "," sanitizers)
# For every target, tests and Catch2 included: code that is not instrumented hides what it does from the rest.
add_compile_options(
  "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${sanitizers};-fno-sanitize-recover=all;-fno-omit-frame-pointer;-g1>")
add_link_options("$<$<LINK_LANGUAGE:C,CXX>:-fsanitize=${sanitizers}>")
