# Install rules, the CMake package FastGEMM, fastgemm.pc and the target `uninstall`. Nothing that is installed holds an
# absolute path of the prefix, unless CMAKE_INSTALL_LIBDIR or CMAKE_INSTALL_INCLUDEDIR is itself absolute.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME fastgemm)

# ---- library, headers, command -----------------------------------------------------------------------------------
install(TARGETS fastgemm EXPORT FastGEMMTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS fastgemm_cublas LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})  # for LD_PRELOAD, not to link to
install(FILES include/fastgemm/fastgemm.h include/fastgemm/fastgemm.hpp include/fastgemm/fastgemm.f90
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fastgemm)
if(TARGET fastgemm_cli)
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(fastgemm_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS fastgemm_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# ---- CMake package -----------------------------------------------------------------------------------------------
set(FASTGEMM_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/FastGEMM)
configure_package_config_file(cmake/FastGEMMConfig.cmake.in ${PROJECT_BINARY_DIR}/package/FastGEMMConfig.cmake
  INSTALL_DESTINATION ${FASTGEMM_CMAKEDIR}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/FastGEMMConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/FastGEMMConfig.cmake ${PROJECT_BINARY_DIR}/package/FastGEMMConfigVersion.cmake
  DESTINATION ${FASTGEMM_CMAKEDIR})
install(EXPORT FastGEMMTargets NAMESPACE FastGEMM:: DESTINATION ${FASTGEMM_CMAKEDIR})

# ---- pkg-config --------------------------------------------------------------------------------------------------
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(FASTGEMM_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  set(FASTGEMM_PC_PREFIX "\${pcfiledir}/${pc_to_prefix}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(FASTGEMM_PC_${dir} ${CMAKE_INSTALL_${dir}})
  else()
    set(FASTGEMM_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
configure_file(fastgemm.pc.in package/fastgemm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/fastgemm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- uninstall ---------------------------------------------------------------------------------------------------
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
          -P ${PROJECT_SOURCE_DIR}/cmake/FastgemmUninstall.cmake
  COMMENT "Removing what the last install put down" VERBATIM USES_TERMINAL)
