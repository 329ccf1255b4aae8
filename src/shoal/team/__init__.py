"""The Team: what carries Parcels between Crawlers, what keeps them polite together, what runs them.

- ``parcels``: Parcels as bytes.
- ``post``: the Courier of Crawlers in one process; ``pulled``: that of Crawlers with state files.
- ``keeper``: one Politeness, one set of claims and one robots.txt for the whole Team.
- ``desk``: what a Crawler that runs apart from the others says, and hears.
- ``lead``: leads such a Team, whatever runs it: ``dealer`` deals the budget, ``stillness`` tells
  when nothing is left, ``roll`` who is there, ``crowd`` makes one stream of events.
- ``inline``: runs a Team in one process, each Crawler in its own time.
- ``processes``: runs each Crawler as a process of one machine.
"""
