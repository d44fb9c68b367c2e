"""Queries as text: one reader of statements, and what is read with it.

text           places, tokens, sqlglot's trees, errors that point at them
script         many statements
engines        who runs the ordinary SQL: Spark, or DuckDB over Arrow tables
sql            one SELECT with windows of ours in it (``iw.sql``)
esl            aggregates written in SQL (``iw.aggregate``)
cql            windows as relations, ISTREAM, DSTREAM, RSTREAM
base_calls     aggregates without a window
catalog        names, and scripts of all of it (``iw.Catalog``)
"""
