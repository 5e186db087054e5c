! fastgemm.f90: fastgemm.h for Fortran 2003 and later. Compile it with the program, then `use fastgemm`.
!
! Matrices are device memory, passed as type(c_ptr). alpha and beta are ordinary variables; in device pointer mode pass
! Fortran pointers that c_f_pointer made from device addresses. Shapes, bounds, zero rules and statuses stand in
! fastgemm.h. fg_half holds the bit pattern of one FP16 number.
!
!     type(c_ptr) :: handle
!     if (fg_create(handle) /= FG_STATUS_SUCCESS) print *, fg_last_error_text()
!     status = fg_sgemm(handle, FG_OP_N, FG_OP_N, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
module fastgemm
  use, intrinsic :: iso_c_binding
  implicit none
  public

  enum, bind(c)
    enumerator :: FG_STATUS_SUCCESS = 0, FG_STATUS_NOT_INITIALIZED = 1, FG_STATUS_ALLOC_FAILED = 3, &
      FG_STATUS_INVALID_VALUE = 7, FG_STATUS_ARCH_MISMATCH = 8, FG_STATUS_MAPPING_ERROR = 11, &
      FG_STATUS_EXECUTION_FAILED = 13, FG_STATUS_INTERNAL_ERROR = 14, FG_STATUS_NOT_SUPPORTED = 15
  end enum
  enum, bind(c)
    enumerator :: FG_OP_N = 0, FG_OP_T = 1, FG_OP_C = 2
  end enum
  enum, bind(c)
    enumerator :: FG_POINTER_MODE_HOST = 0, FG_POINTER_MODE_DEVICE = 1
  end enum
  enum, bind(c)
    enumerator :: FG_MATH_DEFAULT = 0, FG_MATH_FP32_SEQUENTIAL = 1, FG_MATH_FP32_TENSOR = 2, FG_MATH_TF32 = 3
  end enum
  enum, bind(c)
    enumerator :: FG_R_32F = 0, FG_R_16F = 2
  end enum
  enum, bind(c)
    enumerator :: FG_ACTIVATION_NONE = 0, FG_ACTIVATION_RELU = 1, FG_ACTIVATION_GELU = 2
  end enum

  type, bind(c) :: fg_half
    integer(c_int16_t) :: bits
  end type

  type, bind(c) :: fg_gemm_desc
    integer(c_size_t) :: struct_size
    integer(c_int) :: transa, transb
    integer(c_int) :: type_ab
    integer(c_int) :: type_cd
    integer(c_int) :: math_mode
    integer(c_int) :: use_handle_math_mode
    integer(c_int) :: activation
    integer(c_int64_t) :: m, n, k, batch_count
    type(c_ptr) :: alpha, beta
    type(c_ptr) :: a, b, c, d
    integer(c_int64_t) :: lda, ldb, ldc, ldd
    integer(c_int64_t) :: stride_a, stride_b, stride_c, stride_d
    type(c_ptr) :: bias
    integer(c_int64_t) :: stride_bias
  end type

  interface
    function fg_get_version(version) bind(c, name="fg_get_version") result(answer)
      import
      integer(c_int) :: answer
      integer(c_int), intent(out) :: version
    end function

    function fg_status_name(status) bind(c, name="fg_status_name") result(answer)
      import
      type(c_ptr) :: answer
      integer(c_int), value :: status
    end function

    function fg_status_string(status) bind(c, name="fg_status_string") result(answer)
      import
      type(c_ptr) :: answer
      integer(c_int), value :: status
    end function

    function fg_last_error() bind(c, name="fg_last_error") result(answer)
      import
      type(c_ptr) :: answer
    end function

    function fg_create(handle) bind(c, name="fg_create") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), intent(out) :: handle
    end function

    function fg_destroy(handle) bind(c, name="fg_destroy") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
    end function

    function fg_set_stream(handle, stream) bind(c, name="fg_set_stream") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, stream
    end function

    function fg_get_stream(handle, stream) bind(c, name="fg_get_stream") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      type(c_ptr), intent(out) :: stream
    end function

    function fg_set_pointer_mode(handle, mode) bind(c, name="fg_set_pointer_mode") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      integer(c_int), value :: mode
    end function

    function fg_get_pointer_mode(handle, mode) bind(c, name="fg_get_pointer_mode") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      integer(c_int), intent(out) :: mode
    end function

    function fg_set_math_mode(handle, mode) bind(c, name="fg_set_math_mode") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      integer(c_int), value :: mode
    end function

    function fg_get_math_mode(handle, mode) bind(c, name="fg_get_math_mode") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      integer(c_int), intent(out) :: mode
    end function

    function fg_set_workspace(handle, workspace, bytes) bind(c, name="fg_set_workspace") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, workspace
      integer(c_size_t), value :: bytes
    end function

    function fg_set_sm_count_target(handle, sm_count) bind(c, name="fg_set_sm_count_target") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      integer(c_int), value :: sm_count
    end function

    function fg_get_sm_count_target(handle, sm_count) bind(c, name="fg_get_sm_count_target") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      integer(c_int), intent(out) :: sm_count
    end function

    function fg_kernel_name(index) bind(c, name="fg_kernel_name") result(answer)
      import
      type(c_ptr) :: answer
      integer(c_int), value :: index
    end function

    function fg_get_kernel_available(handle, name, available) bind(c, name="fg_get_kernel_available") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)  ! ends with c_null_char
      integer(c_int), intent(out) :: available
    end function

    function fg_set_kernel(handle, name) bind(c, name="fg_set_kernel") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)  ! ends with c_null_char
    end function

    function fg_sgemm(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) &
        bind(c, name="fg_sgemm") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c
      integer(c_int), value :: transa, transb
      integer(c_int), value :: m, n, k, lda, ldb, ldc
      real(c_float), intent(in) :: alpha, beta
    end function

    function fg_hgemm(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) &
        bind(c, name="fg_hgemm") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c
      integer(c_int), value :: transa, transb
      integer(c_int), value :: m, n, k, lda, ldb, ldc
      type(fg_half), intent(in) :: alpha, beta
    end function

    function fg_sgemm_64(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) &
        bind(c, name="fg_sgemm_64") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c
      integer(c_int), value :: transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      real(c_float), intent(in) :: alpha, beta
    end function

    function fg_hgemm_64(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) &
        bind(c, name="fg_hgemm_64") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c
      integer(c_int), value :: transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      type(fg_half), intent(in) :: alpha, beta
    end function

    function fg_sgemm_strided_batched(handle, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, &
        beta, c, ldc, stride_c, batch_count) bind(c, name="fg_sgemm_strided_batched") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c
      integer(c_int), value :: transa, transb
      integer(c_int), value :: m, n, k, lda, ldb, ldc, batch_count
      real(c_float), intent(in) :: alpha, beta
      integer(c_int64_t), value :: stride_a, stride_b, stride_c
    end function

    function fg_hgemm_strided_batched(handle, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, &
        beta, c, ldc, stride_c, batch_count) bind(c, name="fg_hgemm_strided_batched") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c
      integer(c_int), value :: transa, transb
      integer(c_int), value :: m, n, k, lda, ldb, ldc, batch_count
      type(fg_half), intent(in) :: alpha, beta
      integer(c_int64_t), value :: stride_a, stride_b, stride_c
    end function

    function fg_sgemm_strided_batched_64(handle, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, &
        stride_b, beta, c, ldc, stride_c, batch_count) bind(c, name="fg_sgemm_strided_batched_64") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c
      integer(c_int), value :: transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc, batch_count
      real(c_float), intent(in) :: alpha, beta
      integer(c_int64_t), value :: stride_a, stride_b, stride_c
    end function

    function fg_hgemm_strided_batched_64(handle, transa, transb, m, n, k, alpha, a, lda, stride_a, b, ldb, &
        stride_b, beta, c, ldc, stride_c, batch_count) bind(c, name="fg_hgemm_strided_batched_64") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c
      integer(c_int), value :: transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc, batch_count
      type(fg_half), intent(in) :: alpha, beta
      integer(c_int64_t), value :: stride_a, stride_b, stride_c
    end function

    function fg_sgemm_batched(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch_count) &
        bind(c, name="fg_sgemm_batched") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c  ! a, b, c: device arrays of pointers
      integer(c_int), value :: transa, transb
      integer(c_int), value :: m, n, k, lda, ldb, ldc, batch_count
      real(c_float), intent(in) :: alpha, beta
    end function

    function fg_hgemm_batched(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch_count) &
        bind(c, name="fg_hgemm_batched") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c  ! a, b, c: device arrays of pointers
      integer(c_int), value :: transa, transb
      integer(c_int), value :: m, n, k, lda, ldb, ldc, batch_count
      type(fg_half), intent(in) :: alpha, beta
    end function

    function fg_sgemm_batched_64(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch_count) &
        bind(c, name="fg_sgemm_batched_64") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c  ! a, b, c: device arrays of pointers
      integer(c_int), value :: transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc, batch_count
      real(c_float), intent(in) :: alpha, beta
    end function

    function fg_hgemm_batched_64(handle, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch_count) &
        bind(c, name="fg_hgemm_batched_64") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle, a, b, c  ! a, b, c: device arrays of pointers
      integer(c_int), value :: transa, transb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc, batch_count
      type(fg_half), intent(in) :: alpha, beta
    end function

    subroutine fg_gemm_desc_init(desc) bind(c, name="fg_gemm_desc_init")
      import
      type(fg_gemm_desc), intent(out) :: desc
    end subroutine

    function fg_gemm_ex(handle, desc) bind(c, name="fg_gemm_ex") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      type(fg_gemm_desc), intent(in) :: desc
    end function

    function fg_get_workspace_size(handle, desc, bytes) bind(c, name="fg_get_workspace_size") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      type(fg_gemm_desc), intent(in) :: desc
      integer(c_size_t), intent(out) :: bytes
    end function

    function fg_explain(handle, desc, text, size) bind(c, name="fg_explain") result(answer)
      import
      integer(c_int) :: answer
      type(c_ptr), value :: handle
      type(fg_gemm_desc), intent(in) :: desc
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: size
    end function
  end interface

contains

  ! fg_last_error as a Fortran string.
  function fg_last_error_text() result(text)
    character(len=:), allocatable :: text
    text = text_of(fg_last_error())
  end function

  ! fg_status_name as a Fortran string.
  function fg_status_name_text(status) result(text)
    integer(c_int), intent(in) :: status
    character(len=:), allocatable :: text
    text = text_of(fg_status_name(status))
  end function

  ! A zero-terminated C string.
  function text_of(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length, i
    interface
      function c_strlen(string) bind(c, name="strlen") result(length)
        import
        type(c_ptr), value :: string
        integer(c_size_t) :: length
      end function
    end interface
    length = int(c_strlen(address))
    call c_f_pointer(address, letters, [length])
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function

end module fastgemm
