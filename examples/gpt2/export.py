#!/usr/bin/env python3
"""Makes gpt2.onnx: a small GPT-2 over characters, exported by PyTorch with its fresh weights.

Run with the reference environment (`scripts/setup --references`). With `--train`, also trains
it in PyTorch as the README does with the compiled program, and prints the held-out loss.
"""

import argparse
import contextlib
import io
import pathlib
import re
import warnings

import onnx
import torch
import torch.nn.functional as F
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

from prepare_data import CHARACTERS, LENGTH, splits

BATCH = 16
STEPS = 1000
WARM_UP = 50
LEARNING_RATE = 2e-3


class Gpt2(nn.Module):
    """Hugging Face's GPT-2 with one tensor in and one out."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.model = GPT2LMHeadModel(GPT2Config(
            vocab_size=CHARACTERS, n_positions=LENGTH, n_embd=96, n_layer=3, n_head=3,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False,
            bos_token_id=0, eos_token_id=0, attn_implementation="eager",
        ))

    def forward(self, input_ids):
        return self.model(input_ids=input_ids).logits


def export(path):
    """Writes the model with the default exporter."""
    tokens = torch.zeros(BATCH, LENGTH, dtype=torch.long)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Gpt2().train(), (tokens,), str(path), dynamo=True, external_data=False, verbose=False,
            input_names=["input_ids"], output_names=["logits"],
        )
    model = onnx.load(path)
    for node in model.graph.node:
        for prop in node.metadata_props:
            # Traces name the folders of the machine that made the file.
            if prop.key == "pkg.torch.onnx.stack_trace":
                prop.value = re.sub(r'File ".*?/(?:site-packages|gpt2)/', 'File "', prop.value)
    onnx.save(model, path)
    onnx.checker.check_model(str(path), full_check=True)


def train():
    """Trains for the README's steps and returns the mean loss of the held-out text."""
    data = {name: {k: torch.from_numpy(v) for k, v in s.items()} for name, s in splits().items()}
    model = Gpt2()
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}],
        lr=LEARNING_RATE,
    )
    schedule = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [torch.optim.lr_scheduler.LinearLR(optimizer, 1 / WARM_UP, 1.0, WARM_UP),
         torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS - WARM_UP)],
        milestones=[WARM_UP],
    )
    tokens, labels = data["train"]["input_ids"], data["train"]["labels"]
    for step in range(STEPS):
        chosen = torch.randint(len(tokens), (BATCH,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens[chosen]).flatten(0, 1), labels[chosen].flatten())
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step}: loss {float(loss.detach()):.3f}", flush=True)
    with torch.no_grad():
        logits = model(data["test"]["input_ids"])
        return float(F.cross_entropy(logits.flatten(0, 1), data["test"]["labels"].flatten()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", action="store_true")
    torch.set_num_threads(1)
    export(pathlib.Path(__file__).resolve().parent / "gpt2.onnx")
    if parser.parse_args().train:
        print(f"held-out loss: {train():.3f}")
