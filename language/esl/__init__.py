"""ESL's aggregates, written in SQL: CREATE [ALGEBRAIC] [WINDOW] AGGREGATE, made the source of a Python class.

definition   the outer form, read: parameters, tables, blocks
kinds        types of SQL, as hooks know them
names        names of SQL, as names of Python
trees        small syntax trees of Python
values       what the made code calls where Python's operators are not SQL's
scope        which column a name is
scalar       an expression, as an expression of Python
truth        a condition in three-valued logic, as a condition of Python
tables       local tables: attributes, dictionaries, lists; the window; tables of a catalog
query        SELECT
changes      INSERT, UPDATE, DELETE
hooks        blocks, as methods
written      the whole class, its source and its making
"""
