"""Who counts at a remote source: streams of batches, SQL, Spark, several sites."""
