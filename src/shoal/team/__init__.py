"""The Team: what carries Parcels between Crawlers, what keeps them polite together, what runs them.

- ``parcels``: Parcels as bytes.
- ``post``: the Courier of Crawlers in one process; ``pulled``: that of Crawlers with state files.
- ``keeper``: one Politeness and one set of claims for the whole Team.
- ``inline``: runs a Team in one process, each Crawler in its own time.
"""
