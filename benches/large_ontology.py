"""What reading a large ontology costs: CPU time, and the most memory at any moment.

    python benches/large_ontology.py [--triples 500000 1000000 2000000]

Writes SKOS in N-Triples (a class, two labels and two relations for each concept) and reads it in a
process of its own with the code that `shoal topic show` reads with.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from figures import table

PER_CONCEPT: Final = 5
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
TYPE: Final = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
READ: Final = "read"


def main() -> None:
    if sys.argv[1:2] == [READ]:
        read(Path(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--triples", type=int, nargs="+", default=[500_000, 1_000_000, 2_000_000])
    rows = []
    for triples in parser.parse_args().triples:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "large.nt"
            write(path, triples // PER_CONCEPT)
            command = [sys.executable, __file__, READ, str(path)]
            ran = subprocess.run(command, check=True, capture_output=True, text=True)
            told = json.loads(ran.stdout)
            size = f"{path.stat().st_size / 1e6:,.0f} MB"
        cells = (f"{told['seconds']:.1f} s", f"{told['peak_bytes'] / 1e6:,.0f} MB", told["said"])
        rows.append((f"{triples:,}", size, *cells))
    print(table(("triples", "file", "CPU time", "peak memory", "what came of it"), rows))


def write(path: Path, concepts: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(concepts):
            one = f"<http://large.example/concept/{number}>"
            above = f"<http://large.example/concept/{number // 8}>"
            other = f"<http://large.example/concept/{(number * 7919) % concepts}>"
            file.write(
                f"{one} {TYPE} <{SKOS}Concept> .\n"
                f'{one} <{SKOS}prefLabel> "concept number {number}"@en .\n'
                f'{one} <{SKOS}altLabel> "thing {number}"@en .\n'
                f"{one} <{SKOS}broader> {above} .\n"
                f"{one} <{SKOS}related> {other} .\n"
            )


def read(path: Path) -> None:
    from shoal.ontology.model import OntologyError
    from shoal.ontology.reading import read_ontology

    try:
        ontology = read_ontology(path)
        said = f"{len(ontology.concepts):,} concepts, {len(ontology.relations):,} relations"
    except OntologyError as error:
        said = f"refused: {str(error).partition(': ')[2]}"
    used = resource.getrusage(resource.RUSAGE_SELF)
    told = {
        "seconds": used.ru_utime + used.ru_stime,
        "peak_bytes": used.ru_maxrss * 1024,
        "said": said,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
