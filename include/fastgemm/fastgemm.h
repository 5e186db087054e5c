/*
 * fastgemm.h: matrix multiplication on NVIDIA GPUs, C99 interface.
 *
 * The calls read like cuBLAS's: a handle, column-major matrices in device memory, alpha and beta, a status as answer.
 * Enumerators have the values of cuBLAS's, so most code ports by renaming. No CUDA header is needed to include this
 * one.
 *
 *     fg_handle_t handle;
 *     if (fg_create(&handle) != FG_STATUS_SUCCESS) { puts(fg_last_error()); return 1; }
 *     fg_sgemm(handle, FG_OP_N, FG_OP_N, m, n, k, &alpha, A, lda, B, ldb, &beta, C, ldc);
 *     fg_destroy(handle);
 *
 * Rules that hold for every call
 * - Order of checks. A null handle answers FG_STATUS_NOT_INITIALIZED before anything else is looked at; then the
 *   arguments are checked in the order of the declaration, and the first wrong one decides. A call that does not answer
 *   FG_STATUS_SUCCESS has not touched any matrix (except FG_STATUS_EXECUTION_FAILED, after which they are undefined).
 * - Text. fg_last_error tells in words what the thread's last call found, with argument and value. Nothing is printed
 *   unless the environment variable FASTGEMM_LOG asks for it.
 * - Streams. Products are asynchronous: they are enqueued on the handle's stream and run in its order. They neither
 *   allocate device memory nor synchronise nor load code, so each can be captured in a CUDA graph, also the first one.
 *   What was captured on a stream uses that stream's workspace and flags of the handle at every replay: a graph must not
 *   run beside another replay of it, or beside other products of that handle and stream; else results are undefined, and
 *   a product may not end.
 * - Devices. A handle belongs to the device that was current when it was created. Calls made while another device is
 *   current switch to it and back.
 * - Threads. Products through one handle may be called by several threads at once; its settings may not be changed
 *   meanwhile, and it may not be destroyed.
 * - Processes. A handle is of no use in a child made by fork: its calls answer FG_STATUS_NOT_INITIALIZED.
 * - Repeatability. Equal arguments, alignment, settings, device and version give equal bits, whatever else the GPU
 *   does.
 */
#ifndef FASTGEMM_FASTGEMM_H
#define FASTGEMM_FASTGEMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FG_VERSION_MAJOR 0
#define FG_VERSION_MINOR 1
#define FG_VERSION_PATCH 0
#define FG_VERSION (FG_VERSION_MAJOR * 10000 + FG_VERSION_MINOR * 100 + FG_VERSION_PATCH)

#if defined(__GNUC__)
#define FG_API __attribute__((visibility("default")))
#else
#define FG_API
#endif

/* ---- types ------------------------------------------------------------------------------------------------------ */

typedef struct fg_handle* fg_handle_t;   /* made by fg_create, ended by fg_destroy */
struct CUstream_st;
typedef struct CUstream_st* fg_stream_t; /* the same type as cudaStream_t; NULL is the default stream */

/* IEEE binary16 as its bit pattern; size, alignment and layout of CUDA's __half. */
typedef struct fg_half { uint16_t bits; } fg_half;

/* Answer of a call; values equal cublasStatus_t's. fg_last_error says more. */
typedef enum fg_status_t {
  FG_STATUS_SUCCESS = 0,
  FG_STATUS_NOT_INITIALIZED = 1,   /* null handle; handle of a process before fork; fg_create: no usable GPU */
  FG_STATUS_ALLOC_FAILED = 3,      /* out of host or device memory */
  FG_STATUS_INVALID_VALUE = 7,     /* an argument is wrong; nothing was touched */
  FG_STATUS_ARCH_MISMATCH = 8,     /* this build has no code for the GPU */
  FG_STATUS_MAPPING_ERROR = 11,    /* GPU memory could not be accessed */
  FG_STATUS_EXECUTION_FAILED = 13, /* a launch failed, also for an error that earlier work left on the device */
  FG_STATUS_INTERNAL_ERROR = 14,   /* a fault of this library, of cuBLAS or of the driver */
  FG_STATUS_NOT_SUPPORTED = 15     /* valid, but no kernel takes it and cuBLAS does not or was not found */
} fg_status_t;

/* op(X): X as stored, transposed, or conjugate transposed. All types are real, so C does what T does. */
typedef enum fg_operation_t { FG_OP_N = 0, FG_OP_T = 1, FG_OP_C = 2 } fg_operation_t;

/* Where alpha and beta live: read during the call, or by the GPU when the product runs. */
typedef enum fg_pointer_mode_t { FG_POINTER_MODE_HOST = 0, FG_POINTER_MODE_DEVICE = 1 } fg_pointer_mode_t;

/*
 * How products of FP32 matrices are computed. Those of FP16 matrices are summed in FP32 whatever the mode.
 *   FG_MATH_DEFAULT           FP32 multiply and add in a fixed order; never TF32
 *   FG_MATH_FP32_SEQUENTIAL   one chain of fused multiply-adds per element in ascending k: an element's bits depend on
 *                             nothing but its row of op(A), its column of op(B), alpha, beta and its C
 *   FG_MATH_FP32_TENSOR       tensor cores may be used where the error is no larger than FP32's
 *   FG_MATH_TF32              cuBLAS's TF32, where cuBLAS is there, alpha and beta are on the host and A, B and D are not
 *                             in pointer arrays; else FP32
 */
typedef enum fg_math_mode_t {
  FG_MATH_DEFAULT = 0,
  FG_MATH_FP32_SEQUENTIAL = 1,
  FG_MATH_FP32_TENSOR = 2,
  FG_MATH_TF32 = 3
} fg_math_mode_t;

/* Element types; values equal cudaDataType_t's CUDA_R_32F and CUDA_R_16F. */
typedef enum fg_data_type_t { FG_R_32F = 0, FG_R_16F = 2 } fg_data_type_t;

/* Applied last to each element x: x; max(x, 0), NaN kept; x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))). */
typedef enum fg_activation_t { FG_ACTIVATION_NONE = 0, FG_ACTIVATION_RELU = 1, FG_ACTIVATION_GELU = 2 } fg_activation_t;

/* ---- library ---------------------------------------------------------------------------------------------------- */

/* *version = FG_VERSION of the library that is loaded. FG_STATUS_INVALID_VALUE: version is NULL. */
FG_API fg_status_t fg_get_version(int* version);

/* "FG_STATUS_SUCCESS" and so on; "FG_STATUS_UNKNOWN" for other numbers. Never NULL. */
FG_API const char* fg_status_name(fg_status_t status);

/* The same as a short sentence. Never NULL. */
FG_API const char* fg_status_string(fg_status_t status);

/*
 * What the calling thread's last fg_ call that returns a status found wrong, in one line or a few: "ldc = 3 is less
 * than max(1, m) = 5". Empty when it succeeded. Valid until the thread's next such call; never NULL. Needs no handle.
 */
FG_API const char* fg_last_error(void);

/* ---- handle ----------------------------------------------------------------------------------------------------- */

/*
 * Makes a handle for the current device: loads the kernels' code, looks for cuBLAS, allocates workspace (32 MiB, or
 * FASTGEMM_WORKSPACE_MB). Synchronous and slow (up to seconds); a program makes one once per device, or per thread.
 * FASTGEMM_MATH and FASTGEMM_KERNEL set what fg_set_math_mode and fg_set_kernel would. *handle is NULL on failure.
 *   FG_STATUS_INVALID_VALUE     handle is NULL, or FASTGEMM_KERNEL names no kernel
 *   FG_STATUS_NOT_INITIALIZED   no usable GPU: no driver, the toolkit's stub in place of one, a driver that is too old,
 *                               no device, or one below compute capability 7.5; fg_last_error says which
 *   FG_STATUS_ALLOC_FAILED      not enough memory
 *   FG_STATUS_ARCH_MISMATCH     this build has no code for the GPU, and cuBLAS was not found; or FASTGEMM_KERNEL names
 *                               a kernel for other GPUs
 *   FG_STATUS_NOT_SUPPORTED     FASTGEMM_KERNEL is "cublas", which was not found
 *   FG_STATUS_EXECUTION_FAILED  earlier work left an error on the device
 *   FG_STATUS_INTERNAL_ERROR    anything else that CUDA answered; fg_last_error tells what
 */
FG_API fg_status_t fg_create(fg_handle_t* handle);

/*
 * Frees all that fg_create made. Waits for the device, as cudaFree does. May be called at exit, from a static
 * destructor or an atexit handler, also where CUDA is gone already.
 *   FG_STATUS_NOT_INITIALIZED   handle is NULL, or was made before a fork (and is then left as it is)
 */
FG_API fg_status_t fg_destroy(fg_handle_t handle);

/*
 * Later products go to `stream`, of the handle's device. The first time a stream is set, its own workspace is allocated
 * (unless the caller's is in use), so that products on several streams do not disturb each other.
 *   FG_STATUS_NOT_INITIALIZED   handle is NULL
 *   FG_STATUS_ALLOC_FAILED      no memory for the workspace; the former stream stays
 */
FG_API fg_status_t fg_set_stream(fg_handle_t handle, fg_stream_t stream);

/* The getters: FG_STATUS_NOT_INITIALIZED where handle is NULL, FG_STATUS_INVALID_VALUE where the result pointer is. */
FG_API fg_status_t fg_get_stream(fg_handle_t handle, fg_stream_t* stream);

/* Host (default) or device. The setters of modes: FG_STATUS_INVALID_VALUE where mode is none of its type. */
FG_API fg_status_t fg_set_pointer_mode(fg_handle_t handle, fg_pointer_mode_t mode);
FG_API fg_status_t fg_get_pointer_mode(fg_handle_t handle, fg_pointer_mode_t* mode);
FG_API fg_status_t fg_set_math_mode(fg_handle_t handle, fg_math_mode_t mode);
FG_API fg_status_t fg_get_math_mode(fg_handle_t handle, fg_math_mode_t* mode);

/*
 * Lends `bytes` of device memory at `workspace` (a multiple of 256) to later products on every stream, until another
 * call; NULL and 0 go back to the handle's own, an address and 0 leave products without any. The caller keeps it alive
 * while products run, and orders products on different streams that would share it. With less than
 * fg_get_workspace_size tells, products are slower, never wrong.
 *   FG_STATUS_INVALID_VALUE     workspace is NULL and bytes is not 0, or workspace is no multiple of 256
 *   FG_STATUS_ALLOC_FAILED      on the way back: no memory for the handle's own
 */
FG_API fg_status_t fg_set_workspace(fg_handle_t handle, void* workspace, size_t bytes);

/*
 * Number of multiprocessors that later products should use, so that others run beside; 0 (default): all.
 *   FG_STATUS_INVALID_VALUE     negative, or more than the device has
 */
FG_API fg_status_t fg_set_sm_count_target(fg_handle_t handle, int sm_count);
FG_API fg_status_t fg_get_sm_count_target(fg_handle_t handle, int* sm_count);

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

/* Name of kernel number index (0, 1, ...), NULL past the last. No handle and no GPU needed. */
FG_API const char* fg_kernel_name(int index);

/*
 * *available is 1 where that kernel has code for the handle's GPU, else 0; with "cublas", 1 where cuBLAS was found.
 *   FG_STATUS_INVALID_VALUE     name or available is NULL, or there is no kernel of that name (fg_last_error lists
 *                               them)
 */
FG_API fg_status_t fg_get_kernel_available(fg_handle_t handle, const char* name, int* available);

/*
 * Force every later product to kernel name, or to "cublas"; NULL or "": the dispatcher chooses again. "name/4" also
 * asks for k in four parts, whose sums are added up in ascending order; without a number the dispatcher chooses that.
 * A product that the forced kernel does not take (another element type, say) then answers FG_STATUS_NOT_SUPPORTED.
 *   FG_STATUS_INVALID_VALUE     there is no kernel of that name (fg_last_error lists them), or it takes not so many parts
 *   FG_STATUS_ARCH_MISMATCH     it has no code for the handle's GPU
 *   FG_STATUS_NOT_SUPPORTED     "cublas", which was not found
 */
FG_API fg_status_t fg_set_kernel(fg_handle_t handle, const char* name);

/* ---- products --------------------------------------------------------------------------------------------------- */

/*
 * C = alpha * op(A) * op(B) + beta * C
 *
 * where op(X) is X or X^T, op(A) is m x k, op(B) is k x n and C is m x n, all column-major: element (i, j) of a stored
 * matrix X lies at X[i + j * ldx]. fg_sgemm: FP32 throughout, in the order of summation that the math mode says.
 * fg_hgemm: FP16 in memory, FP32 sums, scaled in FP32 and rounded once at the end.
 *
 *   handle   from fg_create
 *   transa   op(A): FG_OP_N, FG_OP_T, or FG_OP_C, which is FG_OP_T for real types
 *   transb   op(B)
 *   m        rows of op(A) and C, >= 0
 *   n        columns of op(B) and C, >= 0
 *   k        columns of op(A) and rows of op(B), >= 0
 *   alpha    one value, host or device memory by the pointer mode
 *   A        device memory; stored lda x k with lda >= max(1, m) for FG_OP_N, else lda x m with lda >= max(1, k)
 *   lda      elements between two columns of A
 *   B        device memory; stored ldb x n with ldb >= max(1, k) for FG_OP_N, else ldb x k with ldb >= max(1, n)
 *   ldb      elements between two columns of B
 *   beta     one value, host or device memory by the pointer mode
 *   C        device memory, ldc x n, read unless beta is 0, then overwritten; may not overlap A or B
 *   ldc      elements between two columns of C, >= max(1, m)
 *
 * Pointers need the alignment of their element and no more; multiples of 16 bytes, leading dimensions included, are
 * fastest. Managed memory, and host memory that the device can address, will do for device memory.
 *
 * Zero rules
 * - m or n is 0: success, nothing is touched; alpha, beta, A, B and C may be NULL.
 * - k is 0 or alpha is 0: C = beta * C. A and B are not read, so NaN there does not matter. Where k is 0, or alpha is 0
 *   in host memory, they may be NULL.
 * - beta is 0, or -0: C is not read, so NaN there does not survive.
 * Otherwise each of these pointers that is NULL is wrong. Leading dimensions are checked also where a size is 0.
 *
 *   FG_STATUS_SUCCESS           enqueued (or nothing to do)
 *   FG_STATUS_NOT_INITIALIZED   handle is NULL, or was made before a fork
 *   FG_STATUS_INVALID_VALUE     an argument breaks a rule above; or a matrix would span 2^63 bytes or more
 *   FG_STATUS_NOT_SUPPORTED     no kernel takes it (see fg_set_kernel), and cuBLAS does not or was not found
 *   FG_STATUS_EXECUTION_FAILED  the launch failed, perhaps by an error of earlier work
 *   FG_STATUS_ALLOC_FAILED      out of host memory, or the driver could not launch for lack of memory
 *   FG_STATUS_INTERNAL_ERROR    anything else that went wrong inside; fg_last_error tells what
 */
FG_API fg_status_t fg_sgemm(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n, int k,
                            const float* alpha, const float* A, int lda, const float* B, int ldb, const float* beta,
                            float* C, int ldc);
FG_API fg_status_t fg_hgemm(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n, int k,
                            const fg_half* alpha, const fg_half* A, int lda, const fg_half* B, int ldb,
                            const fg_half* beta, fg_half* C, int ldc);

/* The same with 64-bit sizes. */
FG_API fg_status_t fg_sgemm_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n,
                               int64_t k, const float* alpha, const float* A, int64_t lda, const float* B, int64_t ldb,
                               const float* beta, float* C, int64_t ldc);
FG_API fg_status_t fg_hgemm_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m, int64_t n,
                               int64_t k, const fg_half* alpha, const fg_half* A, int64_t lda, const fg_half* B,
                               int64_t ldb, const fg_half* beta, fg_half* C, int64_t ldc);

/*
 * batch_count products of one shape. Entry b of X starts at X + b * strideX elements:
 *
 * C[b] = alpha * op(A[b]) * op(B[b]) + beta * C[b]    for 0 <= b < batch_count
 *
 *   strideA, strideB   any, also 0 (one matrix for all entries) or negative
 *   strideC            at least ldc * (n - 1) + m in size where batch_count > 1, so that entries do not overlap
 *   batch_count        >= 0; 0: success, nothing is touched, pointers may be NULL as with m = 0
 * Everything else as in fg_sgemm; FG_STATUS_INVALID_VALUE also where one of these rules is broken.
 */
FG_API fg_status_t fg_sgemm_strided_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m,
                                            int n, int k, const float* alpha, const float* A, int lda, int64_t strideA,
                                            const float* B, int ldb, int64_t strideB, const float* beta, float* C,
                                            int ldc, int64_t strideC, int batch_count);
FG_API fg_status_t fg_hgemm_strided_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m,
                                            int n, int k, const fg_half* alpha, const fg_half* A, int lda,
                                            int64_t strideA, const fg_half* B, int ldb, int64_t strideB,
                                            const fg_half* beta, fg_half* C, int ldc, int64_t strideC,
                                            int batch_count);
FG_API fg_status_t fg_sgemm_strided_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                               int64_t m, int64_t n, int64_t k, const float* alpha, const float* A,
                                               int64_t lda, int64_t strideA, const float* B, int64_t ldb,
                                               int64_t strideB, const float* beta, float* C, int64_t ldc,
                                               int64_t strideC, int64_t batch_count);
FG_API fg_status_t fg_hgemm_strided_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb,
                                               int64_t m, int64_t n, int64_t k, const fg_half* alpha, const fg_half* A,
                                               int64_t lda, int64_t strideA, const fg_half* B, int64_t ldb,
                                               int64_t strideB, const fg_half* beta, fg_half* C, int64_t ldc,
                                               int64_t strideC, int64_t batch_count);

/*
 * The same with the matrices wherever pointers say: A, B and C are arrays of batch_count pointers in device memory,
 * which are read when the product runs. Where a product reads or writes matrices, the array must not be NULL and must
 * be aligned to its pointers; the pointers in it are not checked. Entries of C may not overlap.
 * Statuses as in fg_sgemm; FG_STATUS_INVALID_VALUE also for a negative batch_count.
 */
FG_API fg_status_t fg_sgemm_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n,
                                    int k, const float* alpha, const float* const A[], int lda, const float* const B[],
                                    int ldb, const float* beta, float* const C[], int ldc, int batch_count);
FG_API fg_status_t fg_hgemm_batched(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int m, int n,
                                    int k, const fg_half* alpha, const fg_half* const A[], int lda,
                                    const fg_half* const B[], int ldb, const fg_half* beta, fg_half* const C[], int ldc,
                                    int batch_count);
FG_API fg_status_t fg_sgemm_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m,
                                       int64_t n, int64_t k, const float* alpha, const float* const A[], int64_t lda,
                                       const float* const B[], int64_t ldb, const float* beta, float* const C[],
                                       int64_t ldc, int64_t batch_count);
FG_API fg_status_t fg_hgemm_batched_64(fg_handle_t handle, fg_operation_t transa, fg_operation_t transb, int64_t m,
                                       int64_t n, int64_t k, const fg_half* alpha, const fg_half* const A[],
                                       int64_t lda, const fg_half* const B[], int64_t ldb, const fg_half* beta,
                                       fg_half* const C[], int64_t ldc, int64_t batch_count);

/* ---- descriptor form -------------------------------------------------------------------------------------------- */

/*
 * One product, or batch_count of them, for fg_gemm_ex:
 *
 * D = act(alpha * op(A) * op(B) + beta * C + bias)
 *
 * Fill with fg_gemm_desc_init first, then set what differs. Shapes, leading dimensions, strides and zero rules are
 * those of fg_sgemm_strided_batched; D is m x n like C, and bias is a column of m values, added to each column of the
 * product.
 */
typedef struct fg_gemm_desc {
  size_t struct_size;             /* sizeof(fg_gemm_desc), set by fg_gemm_desc_init; tells versions apart */
  fg_operation_t transa, transb;  /* init: FG_OP_N */
  fg_data_type_t type_ab;         /* of A and B; init: FG_R_32F */
  fg_data_type_t type_cd;         /* of C, D and bias: type_ab, or FG_R_32F with FP16 A and B; init: FG_R_32F */
  fg_math_mode_t math_mode;       /* looked at only where use_handle_math_mode is 0 */
  int use_handle_math_mode;       /* 1 (init): the handle's math mode; 0: math_mode above */
  fg_activation_t activation;     /* init: FG_ACTIVATION_NONE */
  int64_t m, n, k, batch_count;   /* init: 0, 0, 0, 1 */
  const float* alpha;             /* always FP32; host or device by the handle's pointer mode */
  const float* beta;
  const void* A;                  /* device memory, as all that follow */
  const void* B;
  const void* C;                  /* may be NULL, and ldc anything, when beta is a host 0 and D is not NULL */
  void* D;                        /* NULL: D is C, in place */
  int64_t lda, ldb, ldc, ldd;     /* ldd >= max(1, m); with D NULL: 0, or ldc */
  int64_t stride_a, stride_b, stride_c, stride_d; /* elements between batch entries; stride_d unused with D NULL */
  const void* bias;               /* m values; NULL: none */
  int64_t stride_bias;            /* elements between the biases of batch entries; 0: one for all */
} fg_gemm_desc;

/* Sets every member to zero or to the value that "init" names above. NULL is ignored. */
FG_API void fg_gemm_desc_init(fg_gemm_desc* desc);

/*
 * The product that desc describes; it is read during the call. D may be C itself, with equal ld and stride (or any,
 * when beta is a host 0); if D and C, or D and A, B or bias, overlap otherwise, the result is undefined. k = 0 and
 * alpha = 0 give D = act(beta * C + bias). Checked in the order desc, struct_size, type_ab, type_cd, math_mode, then as
 * in fg_sgemm_strided_batched, then D, ldd, stride_d, activation, bias.
 *   FG_STATUS_INVALID_VALUE     desc is NULL, struct_size is not that of this version, or a rule is broken; or the biases
 *                               would span 2^63 bytes or more
 *   FG_STATUS_NOT_SUPPORTED     FP32 A and B with FP16 C; or as for fg_sgemm
 *   and the others of fg_sgemm
 */
FG_API fg_status_t fg_gemm_ex(fg_handle_t handle, const fg_gemm_desc* desc);

/*
 * *bytes = workspace with which the product would be fastest; 0 where it wants none. Runs nothing. alpha, beta, A, B, C
 * and D may be NULL: memory aligned to 16 bytes or more is then assumed, alpha = 1 and beta = 0.
 *   FG_STATUS_INVALID_VALUE     as fg_gemm_ex otherwise, or bytes is NULL
 *   FG_STATUS_NOT_SUPPORTED     as fg_gemm_ex for types
 */
FG_API fg_status_t fg_get_workspace_size(fg_handle_t handle, const fg_gemm_desc* desc, size_t* bytes);

/*
 * Writes which kernel would run, why, and its predicted time, as lines of text: at most size bytes with the final zero,
 * cut where there are more. Runs nothing. NULL pointers as in fg_get_workspace_size.
 *   FG_STATUS_INVALID_VALUE     as fg_gemm_ex otherwise, or text is NULL, or size is 0
 *   FG_STATUS_NOT_SUPPORTED     as fg_gemm_ex for types
 */
FG_API fg_status_t fg_explain(fg_handle_t handle, const fg_gemm_desc* desc, char* text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* FASTGEMM_FASTGEMM_H */
