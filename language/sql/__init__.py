"""``iw.sql``: a SELECT with inwindow's windows, read as text (over, calls, clauses, expressions, statement), then run.

over          the OVER clause, with SLIDE and ACTIVE EXPIRATION
calls         which calls are inwindow's
clauses       where the clauses of the SELECT begin and end
expressions   which parts of an expression come before the windows, and which after
statement     the whole statement
query         a query for Spark, from pieces of the text
before        the data that the windows run over
windows       the aggregates over their windows
run           the statement, run
"""
