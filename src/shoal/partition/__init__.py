"""Rules for who owns a Url or a Page: one file each, and the registry that knows them by name.

A Partition holds the names of the Team's Crawlers and what its rule needs, and answers from that
alone. Where names must be spread over Crawlers by chance, ``ring`` does it, so that another Crawler
takes over as few as can be.
"""
