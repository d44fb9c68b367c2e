"""CQL: windows as relations whose rows hold for a while, and their changes as streams (Arasu, Babu, Widom, section 6).

marks     syntax that SQL lacks: ``[RANGE 5 HOURS]`` after a stream, ``ISTREAM(...)``; removed, so that the rest is SQL
sources   FROM: streams with their windows, relations, subqueries
scope     which column a name is
query     SELECT over them
operators the operators of ``inwindow.temporal``, and the changes of a result as a stream
"""
