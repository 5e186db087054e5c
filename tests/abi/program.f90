! The Fortran face: layouts, enumerators, and a call of every kind on a null handle. No GPU is visible here.
program abi_fortran
  use, intrinsic :: iso_c_binding
  use fastgemm
  implicit none
  type(c_ptr) :: handle, no_matrix
  type(fg_gemm_desc) :: desc
  type(fg_half) :: half
  integer(c_int) :: status, version
  integer(c_size_t) :: bytes
  character(kind=c_char) :: text(100)
  real(c_float) :: alpha, beta
  integer :: failures

  failures = 0
  alpha = 1.0
  beta = 0.0
  half%bits = 15360_c_int16_t
  no_matrix = c_null_ptr

  call fg_gemm_desc_init(desc)
  call expect(desc%struct_size == c_sizeof(desc), 'fg_gemm_desc has the size of the C struct')
  call expect(desc%batch_count == 1 .and. desc%use_handle_math_mode == 1, 'fg_gemm_desc_init')
  call expect(c_sizeof(half) == 2, 'fg_half has two bytes')
  status = fg_get_version(version)
  call expect(status == FG_STATUS_SUCCESS .and. version >= 100, 'fg_get_version')
  call expect(fg_status_name_text(FG_STATUS_NOT_SUPPORTED) == 'FG_STATUS_NOT_SUPPORTED', 'fg_status_name_text')

  status = fg_create(handle)
  call expect(status == FG_STATUS_NOT_INITIALIZED, 'fg_create answers NOT_INITIALIZED without a GPU')
  call expect(index(fg_last_error_text(), 'no usable GPU: ') == 1, 'fg_last_error_text: ' // fg_last_error_text())
  call expect(.not. c_associated(handle), 'the handle is null')

  call expect_null(fg_sgemm(handle, FG_OP_N, FG_OP_T, 1, 1, 1, alpha, no_matrix, 1, no_matrix, 1, beta, no_matrix, 1))
  call expect_null(fg_hgemm(handle, FG_OP_C, FG_OP_N, 1, 1, 1, half, no_matrix, 1, no_matrix, 1, half, no_matrix, 1))
  call expect_null(fg_sgemm_64(handle, FG_OP_N, FG_OP_N, 1_8, 1_8, 1_8, alpha, no_matrix, 1_8, no_matrix, 1_8, beta, &
    no_matrix, 1_8))
  call expect_null(fg_sgemm_strided_batched(handle, FG_OP_N, FG_OP_N, 1, 1, 1, alpha, no_matrix, 1, 1_8, no_matrix, 1, &
    1_8, beta, no_matrix, 1, 1_8, 2))
  call expect_null(fg_hgemm_batched_64(handle, FG_OP_N, FG_OP_N, 1_8, 1_8, 1_8, half, no_matrix, 1_8, no_matrix, 1_8, &
    half, no_matrix, 1_8, 2_8))
  call expect_null(fg_gemm_ex(handle, desc))
  call expect_null(fg_get_workspace_size(handle, desc, bytes))
  call expect_null(fg_explain(handle, desc, text, 100_c_size_t))
  call expect_null(fg_set_kernel(handle, 'cublas' // c_null_char))
  call expect_null(fg_set_math_mode(handle, FG_MATH_TF32))
  call expect_null(fg_destroy(handle))
  if (failures /= 0) stop 1

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (right) return
    print *, 'wrong: ', what
    failures = failures + 1
  end subroutine

  subroutine expect_null(answer)
    integer(c_int), intent(in) :: answer
    call expect(answer == FG_STATUS_NOT_INITIALIZED, 'a null handle answers NOT_INITIALIZED')
  end subroutine

end program abi_fortran
