"""Who links whom, and which pages links make important: graphs, pagerank, hits."""
