"""How alike pages are: cosines in the vector space of a whole web.

The evaluator of 001, section 4.2, compares each fetched page with the pages that the user judged
relevant. Here, as there, a page is a vector of ``tf * idf`` (equation 1), of Porter stems:

    tf_ij = f_ij / max_k f_kj,    idf_i = log(N / N_i)

N counts the pages of the web that have words, N_i those with stem i: the evaluator sees the whole
web, so nothing need be estimated. A word that stands everywhere has the idf 0, as a stop word
should. (The largest frequency of a page divides all its weights alike and leaves cosines as they
are, so it is not computed.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from shoal.lab.survey import Survey

Cosines = NDArray[np.float64]


class Vectors:
    """The pages of a web as vectors of length 1."""

    def __init__(self, survey: Survey) -> None:
        rows = len(survey.urls)
        matrix = sparse.csr_matrix(
            (survey.counts.values.astype(np.float64), survey.terms.values, survey.terms.starts),
            shape=(rows, survey.stems),
        )
        matrix = sparse.diags(survey.is_page.astype(np.float64)) @ matrix
        matrix.eliminate_zeros()
        documents = int((np.diff(matrix.indptr) > 0).sum())
        holding = np.bincount(matrix.indices, minlength=survey.stems)
        idf = np.log(documents / np.maximum(holding, 1)) if documents else np.zeros(survey.stems)
        weighed = sparse.csr_matrix(matrix @ sparse.diags(idf))
        lengths = np.sqrt(np.asarray(weighed.multiply(weighed).sum(axis=1)).ravel())
        self._unit = sparse.csr_matrix(
            sparse.diags(1.0 / np.where(lengths > 0, lengths, 1.0)) @ weighed
        )

    def nearest(self, positive: Sequence[int]) -> Cosines:
        """For each address the largest cosine to one of the ``positive`` pages."""
        if not positive:
            raise ValueError("similarity to no page at all")
        wanted = self._unit[list(positive)]
        cosines = (self._unit @ wanted.T).max(axis=1).toarray().ravel()
        found: Cosines = np.clip(cosines, 0.0, 1.0)
        return found
