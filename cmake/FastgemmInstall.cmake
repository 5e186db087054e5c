# Install rules, CMake package files and CPack.
