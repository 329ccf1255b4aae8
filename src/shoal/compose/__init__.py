"""Puts the parts together. The only room that names concrete classes.

- ``crawl``: one Crawler and everything it works with; ``reading``: what was kept, for readers.
- ``topic``, ``partition``, ``state``: what each of these is made of, by its settings.
- ``team``, ``ray``, ``simulation``: a Team on one machine, on a cluster, and simulated; ``roster``,
  ``balance``: a Team that changes, when asked to and by itself; ``team_status``: how it stands.
- ``lab``, ``lab_team``: the crawls of an experiment.
"""
