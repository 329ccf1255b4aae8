"""HTTP's own rules, as pure functions: heads, headers and content codings."""
