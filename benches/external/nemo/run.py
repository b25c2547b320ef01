"""Evaluates a program of Nemo in the folder of its facts and prints how many results it has, as its relation `size` says."""

import sys

from nmo_python import NemoEngine, load_file

engine = NemoEngine(load_file(sys.argv[1]))
engine.reason()
[[size]] = engine.result("size")
print(size)
