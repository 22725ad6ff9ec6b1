"""What the training of an encoder begins with: a model as others have it, or the encoder of a metric that ships."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.learned.bases import BASES, base
from nlgauge.learned.folder import VOCABULARY
from nlgauge.learned.paired import shape_of
from nlgauge.models.resolve import Located, locate, tokeniser_folder
from nlgauge.models.weights import unpacked

_TOKENISER = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512}


def beginning(encoder: str, room: Path) -> Located:
    """Where it lies; a shipped one is written to the room as the Hugging Face hub has encoders."""
    if encoder not in BASES:
        found = locate(encoder, "contextual", "training")
        if found.path.is_dir() and not (found.path / "config.json").is_file():
            raise InputError(
                f"the encoder {encoder} has weights in 8 bits, which can be run but not trained; take the model it was "
                "made of, such as minilm"
            )
        return found
    from safetensors.numpy import save_file

    folder = room / encoder
    folder.mkdir(parents=True, exist_ok=True)
    shipped = base(encoder)
    config = {"architectures": ["BertModel"], **shape_of(shipped.network)}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(_TOKENISER), encoding="utf-8")
    shutil.copyfile(tokeniser_folder() / VOCABULARY, folder / VOCABULARY)
    save_file(unpacked(shipped.weights), folder / "model.safetensors", metadata={"format": "pt"})
    return Located(encoder, folder, shipped.digest)
