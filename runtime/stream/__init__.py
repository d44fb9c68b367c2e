"""Streams: the same aggregates while tuples still arrive. No Spark in here: buckets of keys, batches in, decided rows out."""
