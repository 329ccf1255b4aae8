"""State in PostgreSQL, for crawls that are to go on on another machine.

The frontier itself is that of ``shoal.frontier``: the same statements over another State. Here is
what differs: the tables, the session, who may write, and what the server's errors mean.

- ``house``: one schema for what a Team has in common, one for each of its Crawlers.
- ``state``: a writer's State, with statements sent ahead of their answers; a reader's.
- ``session``: connections, and whose the state is while they last.
- ``schema``: the tables and their versions.
- ``claims``: which Crawler has a Url.

Needs ``pip install shoal[postgres]``.
"""
