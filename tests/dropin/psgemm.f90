! C := 2 A B - C on a 2 x 2 grid of ranks by ScaLAPACK. Every rank writes its part of C to a file of its own; elements
! are integers, so that all sums are exact, and are checked.
program psgemm_on_grid
  implicit none
  integer, parameter :: m = 310, n = 290, k = 270, block = 32
  integer :: context, rank, ranks, row, column, grid_rows, grid_columns, info
  integer :: desc_a(9), desc_b(9), desc_c(9), i, j, p, wrong
  real, allocatable :: a(:, :), b(:, :), c(:, :)
  integer, external :: numroc
  character(len=16) :: name

  call blacs_pinfo(rank, ranks)
  if (ranks /= 4) error stop 'four ranks are needed'
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row-major', 2, 2)
  call blacs_gridinfo(context, grid_rows, grid_columns, row, column)
  call make(a, desc_a, m, k)
  call make(b, desc_b, k, n)
  call make(c, desc_c, m, n)
  call fill(a, 1)
  call fill(b, 2)
  c = 3.0
  call psgemm('N', 'N', m, n, k, 2.0, a, 1, 1, desc_a, b, 1, 1, desc_b, -1.0, c, 1, 1, desc_c)

  wrong = 0
  do j = 1, numroc(n, block, column, 0, 2)
    do i = 1, numroc(m, block, row, 0, 2)
      if (c(i, j) /= 2.0 * sum([(value(1, global(i, row), p) * value(2, p, global(j, column)), p = 1, k)]) - 3.0) &
        wrong = wrong + 1
    end do
  end do
  write (name, '(a, i0)') 'part.', rank
  open (10, file=name, form='unformatted', access='stream')
  write (10) c
  close (10)
  call igsum2d(context, 'All', ' ', 1, 1, wrong, 1, -1, -1)
  if (rank == 0) print '(i0, a)', wrong, ' elements wrong'
  call blacs_gridexit(context)
  call blacs_exit(0)

contains

  integer function global(local, coordinate)
    integer, intent(in) :: local, coordinate
    global = ((local - 1) / block * 2 + coordinate) * block + mod(local - 1, block) + 1
  end function

  real function value(matrix, i, j)
    integer, intent(in) :: matrix, i, j
    value = real(mod(i * (matrix + 4) + j * 3, 11) - 5)
  end function

  subroutine make(matrix, desc, rows, columns)
    real, allocatable, intent(out) :: matrix(:, :)
    integer, intent(out) :: desc(9)
    integer, intent(in) :: rows, columns
    integer :: local_rows
    local_rows = max(1, numroc(rows, block, row, 0, 2))
    allocate (matrix(local_rows, max(1, numroc(columns, block, column, 0, 2))))
    call descinit(desc, rows, columns, block, block, 0, 0, context, local_rows, info)
    if (info /= 0) error stop 'descinit'
  end subroutine

  subroutine fill(matrix, which)
    real, intent(out) :: matrix(:, :)
    integer, intent(in) :: which
    integer :: i, j
    do j = 1, size(matrix, 2)
      do i = 1, size(matrix, 1)
        matrix(i, j) = value(which, global(i, row), global(j, column))
      end do
    end do
  end subroutine

end program
