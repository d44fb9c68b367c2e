"""The Spark adapter: DataFrames in, DataFrames out; the operator runs in Spark's own Python workers."""
