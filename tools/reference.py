"""Writes the reference pages that are made from the code. ``--check`` only compares."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from shoal import config
from shoal.settings import Settings

DOCS = Path(__file__).resolve().parent.parent / "docs"


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Made from `src/shoal/settings.py` by `make reference`; do not edit.",
        "",
        "Settings come from a TOML file (`--config`), the environment (`SHOAL_SECTION_KEY`),",
        "and flags (`--set section.key=value`), the later ones winning. `shoal config show` prints those",
        "in force.",
    ]
    defaults = asdict(Settings())
    for section, texts in config.documentation().items():
        meaning = (config.SECTIONS[section].__doc__ or "").strip()
        lines += ["", f"## [{section}]", "", meaning, ""]
        lines += ["| key | default | meaning |", "| --- | --- | --- |"]
        for key, text in texts.items():
            default = defaults[section][key]
            shown = "none" if default is None else config.toml_value(default)
            if len(shown) > 60:
                shown = shown[:57] + "..."
            lines.append(f"| `{key}` | `{shown}` | {text} |".replace("|`", "| `"))
    return "\n".join(lines) + "\n"


PAGES = {DOCS / "reference" / "settings.md": settings_page}


def main(arguments: list[str]) -> int:
    stale = []
    for path, make in PAGES.items():
        text = make()
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    if stale:
        print(f"not what the code says: {', '.join(stale)}; run `make reference`")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
