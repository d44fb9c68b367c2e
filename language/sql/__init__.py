"""``iw.sql``: a SELECT with windows of ours, read as text (over, calls, clauses, expressions, statement), then run.

over          the OVER clause, with SLIDE and ACTIVE EXPIRATION
calls         which calls are ours
clauses       where the clauses of the SELECT begin and end
expressions   what of an expression comes before the windows, and what after
statement     all of it together
query         a query for Spark, made of pieces of the text
before        the data that the windows run over
windows       the aggregates over their windows
run           the statement, run
"""
