"""Who links whom, and which pages links make important: LinkGraph, pagerank, hits."""
