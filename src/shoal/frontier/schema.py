"""The tables of a state file, and the steps that made them.

Version n is what the first n scripts of ``VERSIONS`` make. A new version is a new script at the
end; a script that was ever released is never edited.
"""

from __future__ import annotations

from typing import Final

from shoal.model import UrlState

APPLICATION_ID: Final = 0x53484F41
"""``SHOA`` in the file's header: what tells a state file from anybody else's SQLite file."""

# The codes stand in the file and in the partial indices below: never renumber them.
WAITING: Final = 0
LATER: Final = 1
SETTLED: Final = 2
REFUSED: Final = 3

STATES: Final = {
    WAITING: UrlState.WAITING,
    LATER: UrlState.LATER,
    SETTLED: UrlState.SETTLED,
    REFUSED: UrlState.REFUSED,
}

# The main table only ever grows at its end; what must be found at random places is kept in narrow
# indices beside it. An index of a table with rowid ends with the rowid, so `url_waiting` is in the
# order (host, priority downwards, first known).
_FIRST: Final = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE host (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  known INTEGER NOT NULL,       -- Urls admitted
  waiting INTEGER NOT NULL,     -- Urls in state 0
  settled INTEGER NOT NULL,
  bound REAL NOT NULL,          -- no waiting Url of the host has a higher priority
  rest_until_s REAL,
  rest_why TEXT NOT NULL,
  given_up TEXT
);

CREATE TABLE url (
  id INTEGER PRIMARY KEY,       -- in the order of discovery
  key INTEGER NOT NULL,         -- host and fingerprint, see rows.find_row
  text TEXT NOT NULL,
  host INTEGER NOT NULL,
  state INTEGER NOT NULL,       -- 0 waiting, 1 later, 2 settled, 3 refused
  priority REAL NOT NULL,
  depth INTEGER NOT NULL,
  redirects INTEGER NOT NULL,
  source INTEGER,               -- the url whose Link gave the priority
  attempts INTEGER NOT NULL,
  visit INTEGER,                -- the latest one
  retry_at_s REAL,
  evidence BLOB NOT NULL        -- msgpack, see rows.Evidence
);
CREATE UNIQUE INDEX url_key ON url (key);
CREATE INDEX url_waiting ON url (host, priority DESC) WHERE state = 0;
CREATE INDEX url_later ON url (retry_at_s) WHERE state = 1;

CREATE TABLE visit (
  id INTEGER PRIMARY KEY,       -- in the order of settling
  url INTEGER NOT NULL,
  previous INTEGER,             -- the visit before this one of the same url
  at_s REAL NOT NULL,
  outcome TEXT NOT NULL,
  status INTEGER,
  failure TEXT,
  detail TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  elapsed_s REAL NOT NULL,
  media_type TEXT,
  language TEXT,
  title TEXT NOT NULL,
  relevance REAL,
  similarity REAL,
  reasons BLOB,                 -- msgpack, pairs of name and value
  digest TEXT,
  simhash INTEGER,              -- the 64 bits read as a signed number
  file TEXT,
  offset INTEGER,
  length INTEGER,
  etag TEXT,
  last_modified TEXT,
  retry_at_s REAL
);
CREATE INDEX visit_digest ON visit (digest)
  WHERE digest IS NOT NULL AND outcome IN ('page', 'document');
CREATE INDEX visit_relevance ON visit (relevance DESC)
  WHERE relevance IS NOT NULL AND outcome = 'page';

CREATE TABLE near (             -- see twins.py
  block INTEGER NOT NULL,
  simhash INTEGER NOT NULL,
  visit INTEGER NOT NULL,
  PRIMARY KEY (block, simhash, visit)
) WITHOUT ROWID;

CREATE TABLE targets (
  id INTEGER PRIMARY KEY,       -- in the order of fetching
  source INTEGER NOT NULL,
  ids BLOB NOT NULL             -- the urls its Links point to, four bytes each, low byte first
);

CREATE TABLE note (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value BLOB NOT NULL,
  UNIQUE (kind, key)
);
"""

# What a Judgement believes besides its one number.
_BELIEFS: Final = """
ALTER TABLE visit ADD COLUMN beliefs BLOB;  -- msgpack, pairs of name and value
"""

# What a Team needs: Pages that another Crawler fetched, and Parcels on their way.
_TEAM: Final = """
ALTER TABLE visit ADD COLUMN fetched_by TEXT;
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice, though rows go
  receiver TEXT NOT NULL,
  parcel BLOB NOT NULL                   -- see team/parcels.py
);
CREATE INDEX outbox_receiver ON outbox (receiver, id);
"""

VERSIONS: Final = (_FIRST, _BELIEFS, _TEAM)

URLS_MAX: Final = 0xFFFF_FFFF
"""Ids of four bytes: a crawler with more Urls than this needs a second crawler."""
