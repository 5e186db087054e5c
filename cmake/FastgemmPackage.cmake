# CPack: one DEB and one TGZ with the library, its headers, package files and the fastgemm command.
set(CPACK_PACKAGE_NAME libfastgemm)
set(CPACK_PACKAGE_VENDOR libfastgemm)
set(CPACK_PACKAGE_CONTACT libfastgemm)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "matrix multiplication on NVIDIA GPUs behind a C ABI like cuBLAS")
set(CPACK_PACKAGE_DESCRIPTION
"libfastgemm multiplies single and half precision matrices on NVIDIA GPUs with its own
kernels, and takes cuBLAS, opened at run time where it is there, for what they do not cover.
The package holds the shared library, the headers for C, C++ and Fortran, the pkg-config and
CMake files, and the fastgemm command, which measures, checks and explains products.")
set(CPACK_STRIP_FILES ON)
# By component, so that CPack leaves install_manifest.txt, which the target `uninstall` reads, alone.
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};fastgemm;/")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_CHECKSUM SHA256)

# ---- TGZ: libfastgemm-<version>-Linux-<cpu>.tar.gz with one top folder of that name -------------------------------
set(CPACK_PACKAGE_FILE_NAME libfastgemm-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})

# ---- DEB ---------------------------------------------------------------------------------------------------------
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libcublas-13-0 | libcublas-12-9 | libcublas12")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")  # later versions of libfastgemm.so.1 serve older programs
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
mark_as_advanced(DPKG_SHLIBDEPS)
if(DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libgcc-s1, libstdc++6")
endif()
include(CPack)
