#!/usr/bin/env python3
"""Makes the model zoo: ONNX files as PyTorch exports them, batches, and reference losses.

Run with the reference environment (`scripts/setup --references`), without arguments for the
whole zoo or with the names of models. Everything is made from fixed seeds.
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import save_file

import exporters
import faithfulness
import references
import zoo

HERE = pathlib.Path(__file__).resolve().parent


def write(model):
    """Writes the model's files and returns its entries of the manifest."""
    data = f"data/{model.name}.safetensors"
    save_file(model.data(), str(HERE / data))
    reference = f"references/{model.name}.json" if model.has_reference else None
    if reference:
        content = references.reference(model)
        for name, run in content["optimizers"].items():
            print(f"{model.name}: {name} from {run['losses'][0]:.4f} to {run['losses'][-1]:.4f},"
                  f" sensitivity {run['sensitivity']:.1e}", flush=True)
            if run["sensitivity"] > references.LARGEST_SENSITIVITY:
                raise SystemExit(f"{model.name}: its losses are chaotic, give it another seed")
        (HERE / reference).write_text(json.dumps(content, indent=1) + "\n")
    entries = [_export(model, way, data, reference) for way in model.exports]
    # In a fresh model's file it can't be told from values which parameter is which.
    if reference and not model.fresh:
        expected = content["optimizers"]["sgd"]["losses"]
        for entry in entries:
            worst = faithfulness.check(model, HERE / entry["file"], expected)
            print(f"{entry['file']}: trained, its losses differ by {worst:.1e}", flush=True)
    return entries


def _export(model, way, data, reference):
    file = f"onnx/{model.name}.{way}.onnx"
    exporters.export(model, way, HERE / file)
    print(f"{file}: {(HERE / file).stat().st_size / 1000:.0f} kB", flush=True)
    options = [f"--loss={model.loss}"]
    if way == "dynamic":
        options.append(f"--dim={exporters.BATCH_DIMENSION}={model.batch}")
    if model.name == "resnet18" and way == "unoptimized":
        options.append("--batchnorm=train")
    return {
        "name": f"{model.name}.{way}",
        "exporter": way,
        "file": file,
        "options": options,
        "output": model.output,
        "batch": model.batch,
        "data": data,
        "reference": reference,
        "optimizers": references.optimizer_specs(model),
    }


def main(names):
    torch.set_num_threads(1)
    for folder in ("data", "onnx", "references"):
        (HERE / folder).mkdir(exist_ok=True)
    manifest = HERE / "manifest.json"
    entries = {}
    if names and manifest.exists():
        entries = {e["name"]: e for e in json.loads(manifest.read_text())}
    for model in zoo.MODELS:
        if names and model.name not in names:
            continue
        entries = {n: e for n, e in entries.items() if n.split(".")[0] != model.name}
        entries.update((e["name"], e) for e in write(model))
    ordered = sorted(entries.values(), key=lambda e: e["name"])
    manifest.write_text(json.dumps(ordered, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
