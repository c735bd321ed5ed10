# SPDX-License-Identifier: Apache-2.0
"""How long the documents of a tokenised dataset are: `python3 lengths.py [--descriptor N] PATH`.

PATH is what `datasets` saved (a dataset, or a dictionary of them with a split "train"), a folder or
file of Arrow or Parquet, or the folder in which Axolotl keeps prepared datasets, one in each
sub-folder; of those the newest counts. Files are mapped into memory, and of a column of lists only
the offsets are read.

Writes one JSON object (see src/core/lengths_answer.h) to the descriptor, or to standard output.
"""

import json
import os
import sys

SCHEMA = "mindxtrain.lengths/1"
SAMPLES = 512  # MXT_LENGTH_SAMPLES
MOST_NOTES = 8
ROWS_AT_ONCE = 1 << 20
ENDINGS = (".arrow", ".parquet")
HELD_BACK = ("test", "validation", "valid", "eval", "dev")


class Unreadable(Exception):
    """What keeps a dataset from being read, in words for the user."""


# ---- which files ----


def read_json(path):
    """The object in a JSON file; an empty one where there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def is_data(name):
    """Whether `datasets` reads documents from a file of this name; cache-*.arrow are its own."""
    return name.endswith(ENDINGS) and not name.startswith(("cache-", "."))


def data_files(folder):
    """The files of a dataset's own folder, those that its state names or else all of them."""
    listed = read_json(os.path.join(folder, "state.json")).get("_data_files")
    if isinstance(listed, list):
        names = [item.get("filename") for item in listed if isinstance(item, dict)]
        names = [name for name in names if isinstance(name, str)]
    else:
        names = sorted(name for name in os.listdir(folder) if is_data(name))
    train = [name for name in names if "train" in name]
    return [os.path.join(folder, name) for name in train or names]


def age(folder):
    """When a dataset was written, in nanoseconds."""
    for name in ("state.json", "dataset_info.json", ""):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return os.stat(path).st_mtime_ns
    return 0


def is_held_back(folder):
    """Whether this dataset says that it is for evaluation."""
    return str(read_json(os.path.join(folder, "state.json")).get("_split")) in HELD_BACK


def newest_inside(folder, notes):
    """The newest dataset in the sub-folders, with a note when there were several."""
    inside = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    found = [path for path in inside if os.path.isdir(path) and has_data(path)]
    found = [path for path in found if not is_held_back(path)] or found
    if not found:
        raise Unreadable(f"there is no dataset in {folder}")
    newest = max(found, key=age)
    if len(found) > 1:
        notes.append(f"{len(found)} datasets are in {folder}; the newest, "
                     f"{os.path.basename(newest)}, is taken; --dataset names another")
    return newest


def has_data(folder):
    """Whether a folder is a dataset, or a dictionary of them."""
    own = ("state.json", "dataset_dict.json")
    return any(os.path.exists(os.path.join(folder, n)) for n in own) or bool(data_files(folder))


def choose(path, notes):
    """From what was named to (what is read, its files)."""
    if os.path.isfile(path):
        return path, [path]
    if not os.path.isdir(path):
        raise Unreadable(f"there is no {path}")
    if not has_data(path):
        path = newest_inside(path, notes)
    if os.path.exists(os.path.join(path, "dataset_dict.json")):
        train = os.path.join(path, "train")
        if not os.path.isdir(train):
            raise Unreadable(f"{path} has no split 'train'")
        path = train
    files = data_files(path)
    if not files:
        raise Unreadable(f"{path} has no documents")
    return path, files


# ---- what is in them ----


def open_arrow(path):
    """The batches of an Arrow stream, which is what `datasets` writes, or of an Arrow file."""
    import pyarrow

    source = pyarrow.memory_map(path)
    try:
        return pyarrow.ipc.open_stream(source)
    except pyarrow.ArrowInvalid:
        source.seek(0)
        reader = pyarrow.ipc.open_file(source)
        batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
        return pyarrow.RecordBatchReader.from_batches(reader.schema, batches)


def choose_column(schema, path):
    """The column that tells lengths: whole numbers in `length`, or lists of tokens."""
    import pyarrow.types as types

    def kind(name):
        return schema.field(name).type if name in schema.names else None

    if kind("length") is not None and types.is_integer(kind("length")):
        return "length"
    tokens = kind("input_ids")
    if tokens is not None and (types.is_list(tokens) or types.is_large_list(tokens)
                               or types.is_fixed_size_list(tokens)):
        return "input_ids"
    there = ", ".join(schema.names[:12]) or "none"
    raise Unreadable(f"{path} has no lists in a column input_ids (its columns: {there})")


def column_parts(path):
    """The column of lengths in parts, each as an array."""
    if path.endswith(".parquet"):
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(path, memory_map=True)
        name = choose_column(file.schema_arrow, path)
        batches = file.iter_batches(columns=[name])
    else:
        batches = open_arrow(path)
        name = choose_column(batches.schema, path)
    for batch in batches:
        yield batch.column(batch.schema.get_field_index(name))


def lengths_of(part):
    """The lengths in one part, as an array of whole numbers."""
    import pyarrow
    import pyarrow.compute as compute

    if pyarrow.types.is_integer(part.type):
        return part.cast(pyarrow.int64())
    return compute.list_value_length(part).cast(pyarrow.int64())


def add_counts(parts, counts):
    """Adds how often every length occurs; documents without tokens do not count."""
    import pyarrow
    import pyarrow.compute as compute

    for row in compute.value_counts(pyarrow.chunked_array(parts)).to_pylist():
        if row["values"] is not None and row["values"] > 0:
            counts[row["values"]] = counts.get(row["values"], 0) + row["counts"]


def count_lengths(files):
    """How often every length occurs, by length."""
    counts, parts, rows = {}, [], 0
    for path in files:
        for part in column_parts(path):
            parts.append(lengths_of(part))
            rows += len(part)
            if rows >= ROWS_AT_ONCE:
                add_counts(parts, counts)
                parts, rows = [], 0
    if parts:
        add_counts(parts, counts)
    return counts


# ---- the answer ----


def sample_of(counts, documents):
    """All lengths, or as many as are wanted at equal quantiles, ascending."""
    wanted = min(documents, SAMPLES)
    sample, before = [], 0
    for length in sorted(counts):
        before += counts[length]
        while len(sample) < wanted and (2 * len(sample) + 1) * documents < 2 * before * wanted:
            sample.append(length)
    return sample


def summary(path):
    """The answer about a dataset."""
    notes = []
    folder, files = choose(path, notes)
    counts = count_lengths(files)
    documents = sum(counts.values())
    if documents == 0:
        raise Unreadable(f"{folder} has no documents")
    return {
        "schema": SCHEMA,
        "documents": documents,
        "tokens": sum(length * count for length, count in counts.items()),
        "longest": min(max(counts), (1 << 31) - 1),
        "distinct": len(counts),
        "sample": sample_of(counts, documents),
        "folder": folder,
        "notes": notes[:MOST_NOTES],
    }


def answer_for(path):
    """The answer, whatever happens."""
    try:
        return summary(path)
    except Unreadable as error:
        text = str(error)
    except ImportError as error:
        text = f"{error}; install pyarrow where the training runs"
    except Exception as error:  # pyarrow has errors of many kinds, and damaged files raise any
        text = f"{path}: {type(error).__name__}: {error}"
    return {"schema": SCHEMA, "error": " ".join(text.split())[:400]}


def main(arguments):
    """Returns the exit status."""
    descriptor = 1
    if arguments[:1] == ["--descriptor"]:
        descriptor, arguments = int(arguments[1]), arguments[2:]
    answer = answer_for(arguments[0])
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(answer, out)
    return 1 if "error" in answer else 0


if __name__ == "__main__":
    # Beside this file are modules of ours that must not hide others.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    sys.exit(main(sys.argv[1:]))
