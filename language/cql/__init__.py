"""CQL: windows as relations whose rows hold for a while, and their changes as streams (Arasu, Babu, Widom, section 6).

marks     what SQL has not: ``[RANGE 5 HOURS]`` behind a stream, ``ISTREAM(...)``; taken out of the text, which is SQL then
sources   FROM: streams with their windows, relations, subqueries
scope     which column a name is
query     SELECT over them
operators the operators of ``inwindow.temporal``, and the changes of a result as a stream
"""
