# Target fastgemm_catch2: Catch2 version 3, or version 2 (Debian 12), with a main function. Tests include
# "tests/support/catch.h", which hides the difference.
find_package(Catch2 REQUIRED)
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  add_library(fastgemm_catch2 INTERFACE)
  target_link_libraries(fastgemm_catch2 INTERFACE Catch2::Catch2WithMain)
else()
  add_library(fastgemm_catch2 STATIC ${PROJECT_SOURCE_DIR}/tests/support/catch2_main.cpp)
  target_link_libraries(fastgemm_catch2 PUBLIC Catch2::Catch2)
  get_filename_component(catch2_cmake_dir "${Catch2_DIR}" ABSOLUTE)
  list(APPEND CMAKE_MODULE_PATH ${catch2_cmake_dir})
endif()
target_include_directories(fastgemm_catch2 SYSTEM INTERFACE)
include(Catch)
