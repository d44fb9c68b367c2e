"""Over which tuples: frames, slides, extents; from a specification to bounds."""
