# SPDX-License-Identifier: Apache-2.0
"""Run in a Python that trains: saves the datasets that test_lengths.py reads, in every form that `datasets` and
pyarrow write. `make_datasets.py FOLDER`."""

import pathlib
import sys

import datasets
import pyarrow
import pyarrow.parquet

FEATURES = datasets.Features({
    "input_ids": datasets.Sequence(datasets.Value("int32")),
    "attention_mask": datasets.Sequence(datasets.Value("int8")),
    "labels": datasets.Sequence(datasets.Value("int64")),
})
LENGTHS = [n * n % 701 + 1 for n in range(2000)]


def rows(lengths):
    return {"input_ids": [[7] * n for n in lengths], "attention_mask": [[1] * n for n in lengths],
            "labels": [[7] * n for n in lengths]}


def dataset(lengths):
    return datasets.Dataset.from_dict(rows(lengths), features=FEATURES)


def table(lengths, list_type=pyarrow.list_):
    return pyarrow.table({"input_ids": pyarrow.array([[1] * n for n in lengths], list_type(pyarrow.int32()))})


def write_arrow(path, contents, new=pyarrow.ipc.new_stream, **how):
    path.parent.mkdir(parents=True, exist_ok=True)
    with pyarrow.OSFile(str(path), "wb") as file, new(file, contents.schema) as writer:
        writer.write_table(contents, **how)


def main(folder):
    datasets.disable_progress_bars()
    whole = dataset(LENGTHS)
    whole.save_to_disk(folder / "one")
    whole.save_to_disk(folder / "shards", num_shards=7)
    whole.select(range(1000, 1500)).save_to_disk(folder / "slice")
    whole.shuffle(seed=1).filter(lambda row: len(row["input_ids"]) > 100).save_to_disk(folder / "filtered")
    datasets.concatenate_datasets([whole, whole.select([0])]).save_to_disk(folder / "joined")
    whole.add_column("length", [n + 1 for n in LENGTHS]).save_to_disk(folder / "with_length")
    datasets.DatasetDict({"train": whole, "test": dataset([9])}).save_to_disk(folder / "dict")
    datasets.DatasetDict({"test": dataset([9])}).save_to_disk(folder / "no_train")
    dataset([]).save_to_disk(folder / "empty")
    dataset([0, 0, 5]).save_to_disk(folder / "zeros")
    datasets.Dataset.from_dict({"text": ["a", "b"]}).save_to_disk(folder / "text")
    datasets.Dataset.from_dict({"input_ids": [1, 2]}).save_to_disk(folder / "no_lists")
    dataset([3] * 10).save_to_disk(folder / "prepared" / "0aaa")
    dataset([4] * 10).save_to_disk(folder / "prepared" / "1bbb")
    held_back = datasets.Dataset.from_dict(rows([5] * 10), features=FEATURES, split="test")
    held_back.save_to_disk(folder / "prepared" / "2ccc")
    write_arrow(folder / "large" / "data.arrow", table(LENGTHS, pyarrow.large_list))
    write_arrow(folder / "file" / "data.arrow", table(LENGTHS), pyarrow.ipc.new_file)
    write_arrow(folder / "batches" / "data.arrow", table(LENGTHS).slice(13, 700), max_chunksize=31)
    (folder / "parquet" / "data").mkdir(parents=True)
    pyarrow.parquet.write_table(table(LENGTHS), folder / "parquet" / "train-00000-of-00001.parquet")
    pyarrow.parquet.write_table(table([1]), folder / "parquet" / "test-00000-of-00001.parquet")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
