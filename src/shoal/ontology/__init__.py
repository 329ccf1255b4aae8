"""Ontologies: concepts with their labels, and how they are related.

``read_ontology`` reads topic maps (XTM 1.0, 2.0 and 2.1, LTM) and RDF (SKOS, OWL, RDF Schema; in
RDF/XML, Turtle or N-Triples) into one frozen ``Ontology``. Nothing that a file names is fetched.
"""
