# fastgemm_device_ops: the device work of check, bench and the GPU tests. fastgemm_verify: the case engine and `check`
# on top of it. Both are shared by the command and tests/gpu, whichever of them is built.
include_guard(GLOBAL)

set(FASTGEMM_DEVICE_OPS_ARCHITECTURES "")
foreach(architecture IN LISTS FASTGEMM_ARCHITECTURES)
  if(architecture MATCHES "^[0-9]")
    list(APPEND FASTGEMM_DEVICE_OPS_ARCHITECTURES ${architecture})
  endif()
endforeach()

set(verify_source_dir ${PROJECT_SOURCE_DIR}/src/cli)
if(FASTGEMM_DEVICE_OPS_ARCHITECTURES)
  add_library(fastgemm_device_ops STATIC ${verify_source_dir}/device_ops.cu ${verify_source_dir}/reference_gemm.cu
                                         ${verify_source_dir}/verify_device.cu)
  set_target_properties(fastgemm_device_ops PROPERTIES CUDA_ARCHITECTURES "${FASTGEMM_DEVICE_OPS_ARCHITECTURES}")
else()
  add_library(fastgemm_device_ops STATIC ${verify_source_dir}/device_ops_none.cpp)
endif()
target_include_directories(fastgemm_device_ops PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(fastgemm_device_ops PUBLIC CUDA::cudart_static)
fastgemm_warnings(fastgemm_device_ops)

add_library(fastgemm_verify STATIC ${verify_source_dir}/check.cpp ${verify_source_dir}/verify.cpp
                                   ${verify_source_dir}/verify_call.cpp ${verify_source_dir}/verify_case.cpp
                                   ${verify_source_dir}/verify_layout.cpp ${verify_source_dir}/verify_plan.cpp)
target_link_libraries(fastgemm_verify PUBLIC fastgemm_device_ops fastgemm)
fastgemm_warnings(fastgemm_verify)
