"""ESL's aggregates, written in SQL: CREATE [ALGEBRAIC] [WINDOW] AGGREGATE becomes the source of a Python class.

definition   the outer form, read: parameters, tables, blocks
kinds        types of SQL, as hooks know them
names        names of SQL, as names of Python
trees        small syntax trees of Python
values       what the made code calls where Python's operators are not SQL's
scope        which column a name is
conversions  a value as the type of a column keeps it, and NULL through calls and operators
three_valued when a condition is TRUE and when it is FALSE
functions    functions of SQL
truth        a condition, as a condition of Python
scalar       an expression, as an expression of Python
tables       local tables: attributes, dictionaries, lists; the window; tables of a catalog
select       SELECT, read; joins: its FROM; groups: GROUP BY and aggregates; subqueries: SELECTs in expressions
query        a SELECT that was read, as loops of Python
changes      INSERT, UPDATE, DELETE
hooks        blocks, as methods
tidy         statements that follow one another, made one
written      the whole class, its source and its making
"""
