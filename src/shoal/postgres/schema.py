"""The tables of a Crawler's schema, and the steps that made them.

Version n is what the first n scripts of ``VERSIONS`` make, as in ``shoal.frontier.schema``, whose
notes on tables and columns are not repeated here. The codes of ``url.state`` are the same.
"""

from __future__ import annotations

from typing import Final

MARK: Final = "shoal_state"
"""The table that tells a schema of ours from anybody else's; it holds the version."""

# Numbers of Urls, hosts and Visits are given by the frontier; those of targets and of Parcels by a
# sequence, which never gives one twice, not even after a transaction that came to nothing.
_FIRST: Final = """
CREATE TABLE shoal_state (version integer NOT NULL);

CREATE TABLE fact (name text PRIMARY KEY, value text NOT NULL);

CREATE TABLE host (
  id bigint PRIMARY KEY,
  name text NOT NULL UNIQUE,
  known bigint NOT NULL,
  waiting bigint NOT NULL,
  settled bigint NOT NULL,
  bound double precision NOT NULL,
  rest_until_s double precision,
  rest_why text NOT NULL,
  given_up text
);

CREATE TABLE url (
  id bigint PRIMARY KEY,
  key bigint NOT NULL UNIQUE,
  text text NOT NULL,
  host bigint NOT NULL,
  state smallint NOT NULL,
  priority double precision NOT NULL,
  depth integer NOT NULL,
  redirects integer NOT NULL,
  source bigint,
  attempts integer NOT NULL,
  visit bigint,
  retry_at_s double precision,
  evidence bytea NOT NULL
);
CREATE INDEX url_waiting ON url (host, priority DESC, id) WHERE state = 0;
CREATE INDEX url_later ON url (retry_at_s) WHERE state = 1;

CREATE TABLE visit (
  id bigint PRIMARY KEY,
  url bigint NOT NULL,
  previous bigint,
  at_s double precision NOT NULL,
  outcome text NOT NULL,
  status integer,
  failure text,
  detail text NOT NULL,
  size_bytes bigint NOT NULL,
  elapsed_s double precision NOT NULL,
  media_type text,
  language text,
  title text NOT NULL,
  relevance double precision,
  similarity double precision,
  reasons bytea,
  beliefs bytea,
  digest text,
  simhash bigint,
  file text,
  "offset" bigint,
  length bigint,
  etag text,
  last_modified text,
  retry_at_s double precision,
  fetched_by text
);
CREATE INDEX visit_digest ON visit (digest)
  WHERE digest IS NOT NULL AND outcome IN ('page', 'document');
CREATE INDEX visit_relevance ON visit (relevance DESC, id)
  WHERE relevance IS NOT NULL AND outcome = 'page';

CREATE TABLE near (
  block integer NOT NULL,
  simhash bigint NOT NULL,
  visit bigint NOT NULL,
  PRIMARY KEY (block, simhash, visit)
);

CREATE TABLE targets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source bigint NOT NULL,
  ids bytea NOT NULL
);

CREATE TABLE note (
  kind text NOT NULL,
  key text NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (kind, key)
);

CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  receiver text NOT NULL,
  parcel bytea NOT NULL
);
CREATE INDEX outbox_receiver ON outbox (receiver, id);

-- What SQLite has under this name.
CREATE FUNCTION instr(bytea, bytea) RETURNS integer LANGUAGE sql IMMUTABLE STRICT
  AS 'SELECT position($2 IN $1)';

-- Which Crawler has a Url: filled in the schema that a Team has in common.
CREATE TABLE claim (url bigint PRIMARY KEY, crawler text NOT NULL);
"""

VERSIONS: Final = (_FIRST,)
