"""With which kernel: Cython loops over ``(values, start, end)``, and the driver that calls Python hooks."""
