"""Float32 products in every layout, and what of numpy.linalg leads to sgemm; prints the bits of the results."""
import hashlib

import numpy as np


def show(name, array):
    print(name, array.shape, hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest())


random = np.random.default_rng(7)
for m, n, k in ((1, 1, 1), (2, 3, 4), (17, 33, 65), (128, 64, 96), (300, 200, 250)):
    a = random.standard_normal((m, k), dtype=np.float32)
    b = random.standard_normal((k, n), dtype=np.float32)
    for order_a in "CF":
        for order_b in "CF":
            product = np.asarray(a, order=order_a) @ np.asarray(b, order=order_b)
            show(f"{order_a}{order_b}", product)
            error = np.abs(product - a.astype(np.float64) @ b.astype(np.float64)).max()
            assert error < 1e-3, error
    show("strided", np.repeat(a, 2, axis=1)[:, ::2] @ b)
    show("out", np.matmul(a, b, out=np.full((m, n), np.nan, np.float32)))
batch = random.standard_normal((5, 20, 30), dtype=np.float32)
show("batch", batch @ batch.transpose(0, 2, 1))
show("tensordot", np.tensordot(batch, batch, axes=([1, 2], [1, 2])))
show("einsum", np.einsum("bij,bkj->ik", batch, batch, optimize=True))
square = random.standard_normal((200, 200), dtype=np.float32)
show("solve", np.linalg.solve(square, square.T))
show("svd", np.linalg.svd(square)[1])
show("qr", np.linalg.qr(square)[1])
show("inv", np.linalg.inv(square))
