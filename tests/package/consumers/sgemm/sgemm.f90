! C = A * B on the GPU: A is m x k, B is k x n.
program sgemm
  use, intrinsic :: iso_c_binding
  use fastgemm
  implicit none
  integer(c_int), parameter :: m = 300, n = 200, k = 100, to_device = 1, to_host = 2
  real(c_float), target :: host_a(m, k), host_b(k, n), host_c(m, n)
  type(c_ptr) :: handle, a, b, c
  integer(c_int) :: status
  integer :: i, j, wrong

  interface  ! of the CUDA runtime
    integer(c_int) function cudaMalloc(address, bytes) bind(c, name="cudaMalloc")
      import
      type(c_ptr), intent(out) :: address
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function cudaMemcpy(destination, source, bytes, direction) bind(c, name="cudaMemcpy")
      import
      type(c_ptr), value :: destination, source
      integer(c_size_t), value :: bytes
      integer(c_int), value :: direction
    end function
    integer(c_int) function cudaFree(address) bind(c, name="cudaFree")
      import
      type(c_ptr), value :: address
    end function
  end interface

  status = fg_create(handle)
  if (status /= FG_STATUS_SUCCESS) then
    print '(4a)', 'fg_create: ', fg_status_name_text(status), ': ', fg_last_error_text()
    stop
  end if
  host_a = spread([(real(mod(i, 7), c_float), i = 1, m)], 2, k)
  host_b = spread([(real(mod(j, 5), c_float), j = 1, n)], 1, k)

  status = cudaMalloc(a, c_sizeof(host_a)) + cudaMalloc(b, c_sizeof(host_b)) + cudaMalloc(c, c_sizeof(host_c))
  status = status + cudaMemcpy(a, c_loc(host_a), c_sizeof(host_a), to_device)
  status = status + cudaMemcpy(b, c_loc(host_b), c_sizeof(host_b), to_device)
  if (status /= 0) error stop 'the CUDA runtime failed'

  status = fg_sgemm(handle, FG_OP_N, FG_OP_N, m, n, k, 1.0_c_float, a, m, b, k, 0.0_c_float, c, m)
  if (status /= FG_STATUS_SUCCESS) error stop 'fg_sgemm failed'
  status = cudaMemcpy(c_loc(host_c), c, c_sizeof(host_c), to_host)
  wrong = count(host_c /= matmul(host_a, host_b))
  print '(i0, a, i0, a)', wrong, ' of ', m * n, ' elements wrong'

  status = cudaFree(a) + cudaFree(b) + cudaFree(c) + fg_destroy(handle)
  if (wrong /= 0) error stop
end program
