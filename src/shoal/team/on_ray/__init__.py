"""Runs a Team on a Ray cluster: an actor for each Crawler, and one that keeps the Team.

- ``cluster``: which cluster, which machines, and who goes where.
- ``keeper_actor``: leads the Team, on the machine of whoever started the crawl.
- ``crawler_actor``: a Crawler, and what its mates ask of it; ``line`` is its way to the keeper,
  ``hatch`` and ``mates`` the way of Parcels.
- ``engine``: starts them, shows what they tell, and ends them.

Ray places actors, starts them again and reports them; nothing here opens a connection of its own.
"""
