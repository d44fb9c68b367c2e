"""Hooks that the framework writes: ``expire``, ``merge`` and ``unmerge`` from initialize, iterate and terminate.

ESL's base aggregate (example 7) gets its window version (example 12): a class of its own, derived from the user's, which runs
where tuples leave; where none does, the user's own runs.

::

    hook       a hook, read (``udaf/source``)
    pure       expressions over the arguments alone, and their types
    updates    a hook as updates of fields, under conditions on the arguments
    terms      initialize and iterate do the same to a field, from a start
    form       what undoes a tuple, what merges two runs; or why not: sums, extremes, kept, containers
    forms      which one a field has
    fields     all of these, of a class
    looking    terminate only looks
    writing    functions
    version    the class

Nothing is derived that is not proven; :class:`Derivation` says why not.
"""
