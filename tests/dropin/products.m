% Single-precision products and factorisations; prints the bits of sums of the results.
rand ("twister", 7);
sizes = [1 1 1; 2 3 4; 17 33 65; 128 64 96; 300 200 250];
for s = 1:rows (sizes)
  a = single (rand (sizes(s, 1), sizes(s, 3)));
  b = single (rand (sizes(s, 3), sizes(s, 2)));
  for c = {a * b, (b' * a')', a * (b')', [a a] * [b; b]}
    printf ("%d x %d %s\n", rows (c{1}), columns (c{1}), num2hex (sum (double (c{1}(:)))));
  end
  assert (norm (double (a * b) - double (a) * double (b), Inf) < 1e-2);
end
a = single (rand (250));
b = single (rand (250, 190));
[l, u, p] = lu (a);
[q, r] = qr (a);
for c = {a \ b, l * u, q * r, inv(a), svd(a)}
  printf ("%d x %d %s\n", rows (c{1}), columns (c{1}), num2hex (sum (double (c{1}(:)))));
end
