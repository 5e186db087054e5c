// Where the libfastgemm.so lies that this command itself uses.
#pragma once

#include <string>

namespace fastgemm::cli {

// As the dynamic linker found it; empty where it does not tell.
std::string library_path();

}  // namespace fastgemm::cli
