"""A topical web that is made up as it is asked for: a frozen Web whose truth is known."""

from shoal.lab.synthetic.knobs import BadKnob, SyntheticKnobs
from shoal.lab.synthetic.shelf import SyntheticShelf, open_synthetic

__all__ = ["BadKnob", "SyntheticKnobs", "SyntheticShelf", "open_synthetic"]
