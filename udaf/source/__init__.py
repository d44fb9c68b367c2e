"""The source of hooks: the one place that reads it, for derived and for compiled hooks, and for the check of shared state.

::

    reading    a function's text and syntax tree, proven to be those of the code that runs; or why it cannot be read
    proof      whether a tree, compiled again, gives a function's bytecode
    names      what a name in a function stands for

Each function is read and proven once. Its tree is shared by all who ask for it, so nobody changes it.
"""
