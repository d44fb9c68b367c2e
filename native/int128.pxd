# Integers of 128 bits.

cdef extern from *:
    """
    typedef __int128 int128_t;
    typedef unsigned __int128 uint128_t;
    """
    ctypedef long long int128_t         # Cython needs a name and a rank; the C compiler knows the size
    ctypedef unsigned long long uint128_t
