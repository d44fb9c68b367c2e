"""Queries as text: the reader of statements, and the languages that use it.

text           places in a text, tokens, sqlglot's trees, errors with their places
script         many statements
engines        the engines for ordinary SQL: Spark, or DuckDB over Arrow tables
sql            one SELECT with inwindow's windows in it (``iw.sql``)
esl            aggregates written in SQL (``iw.aggregate``)
cql            windows as relations, ISTREAM, DSTREAM, RSTREAM
base_calls     aggregates without a window
catalog        names, and scripts of all of it (``iw.Catalog``)
"""
