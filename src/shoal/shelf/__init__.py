"""What frozen Webs hold: WARC files, or folders of files."""
