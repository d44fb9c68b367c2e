"""Hooks that are machine code: a Cython ``cdef class`` (`c_hooks.py`), or a plain class compiled by numba (`numba_hooks.py`)."""
