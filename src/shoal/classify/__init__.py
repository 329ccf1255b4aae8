"""Trained categories: what a page's words say about where it belongs."""
