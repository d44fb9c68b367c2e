"""Queries as text: one reader of statements, and what is read with it.

text      places, tokens, errors that point at them
sql       one SELECT with windows of ours in it (``iw.sql``)
esl       aggregates written in SQL (``iw.aggregate``)
"""
