"""Hooks that the framework derives: ``expire``, ``merge`` and ``unmerge`` from initialize, iterate and terminate.

ESL's base aggregate (example 7) gets its window version (example 12): a subclass of the user's class, which runs if tuples
leave. If none leave, the user's own class runs.

::

    hook       a hook, read (``udaf/source``)
    pure       expressions over the arguments alone, and their types
    updates    a hook as updates of fields, under conditions on the arguments
    terms      compare initialize and iterate: both must do the same to a field, from a start
    form       how to undo a tuple and to merge two runs, or why not: sums, extremes, kept, containers
    forms      which form a field has
    fields     the forms of all fields of a class
    looking    check that terminate only reads
    writing    write the functions
    version    make the class

Nothing is derived that is not proven; :class:`Derivation` says why not.
"""
