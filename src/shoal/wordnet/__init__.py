"""WordNet: English words, their senses, and which concept is a kind of which.

Read from a copy on this machine: the database files of WordNet 3.0 (a folder, tar or zip), or Open
English WordNet as WN-LMF XML. Nothing is fetched, and nothing of it ships with Shoal.

``open_wordnet`` finds and reads one; what comes back is a ``Lexicon``. ``similarity`` tells how
alike two of its concepts are.
"""
