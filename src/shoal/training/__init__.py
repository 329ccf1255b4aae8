"""What learning strategies are trained on: a browsing path, and what can be learnt from it."""
