"""The models of the benchmarks: PyTorch modules, their batches, and their ONNX files."""

import contextlib
import io
import warnings
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F
from torch import nn

LEARNING_RATE = 1e-3
WEIGHT_DECAY = 0.01
OPTIMIZER = f"adamw(lr={LEARNING_RATE}, weight_decay={WEIGHT_DECAY})"
LOSS = "cross_entropy(logits, labels)"


class Gpt2(nn.Module):
    """Hugging Face's GPT-2 without dropout, with one tensor in and one out."""

    def __init__(self, layers, width, heads, vocabulary, length):
        super().__init__()
        # Imported here so that the processes that measure other models don't hold it in memory.
        from transformers import GPT2Config, GPT2LMHeadModel

        self.model = GPT2LMHeadModel(GPT2Config(
            n_layer=layers, n_embd=width, n_head=heads, vocab_size=vocabulary, n_positions=length,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False,
            bos_token_id=0, eos_token_id=0,
        ))

    def forward(self, input_ids):
        return self.model(input_ids=input_ids).logits


@dataclass(frozen=True)
class Benchmark:
    title: str
    input: str
    build: Callable[[], nn.Module]
    batch: Callable[[], tuple]
    # The default exporter folds batch normalisation away.
    older_exporter: bool = False

    def module(self):
        torch.manual_seed(0)
        return self.build().train()

    def tensors(self):
        """One batch, by the names that the ONNX file and the loss give its tensors."""
        torch.manual_seed(1)
        features, labels = self.batch()
        return {self.input: features, "labels": labels}

    def export(self, path):
        """Writes the module as an ONNX file, weights in a file beside it where they are large."""
        options = {"dynamo": True, "verbose": False}
        if self.older_exporter:
            options = {
                "dynamo": False, "do_constant_folding": False,
                "training": torch.onnx.TrainingMode.TRAINING,
            }
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            torch.onnx.export(
                self.module(), (self.tensors()[self.input],), str(path),
                input_names=[self.input], output_names=["logits"], **options,
            )


def optimizer(module):
    """AdamW as the compiler's default, by PyTorch's fastest implementation."""
    decayed = [p for p in module.parameters() if p.ndim > 1]
    others = [p for p in module.parameters() if p.ndim <= 1]
    return torch.optim.AdamW(
        [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0}],
        lr=LEARNING_RATE, fused=True,
    )


def loss(logits, labels):
    return F.cross_entropy(logits.flatten(0, -2), labels.flatten())


def gpt2(layers=6, width=384, heads=6, length=256, batch=8, vocabulary=50257):
    def tokens():
        text = torch.randint(vocabulary, (batch, length + 1))
        return text[:, :-1].contiguous(), text[:, 1:].contiguous()

    return Benchmark(
        f"GPT-2 ({layers} layers, width {width}, sequence {length}, batch {batch}, "
        f"vocabulary {vocabulary})",
        "input_ids", lambda: Gpt2(layers, width, heads, vocabulary, length), tokens,
    )


def resnet18(size=64, batch=32):
    def build():
        from torchvision.models import resnet18 as network

        return network()

    return Benchmark(
        f"ResNet-18 ({size}x{size}, batch {batch})", "image", build,
        lambda: (torch.randn(batch, 3, size, size), torch.randint(1000, (batch,))),
        older_exporter=True,
    )


def mlp(features=784, hidden=1024, batch=128):
    def build():
        return nn.Sequential(
            nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 10),
        )

    return Benchmark(
        f"MLP ({features}-{hidden}-{hidden}-{hidden}-10, batch {batch})", "x", build,
        lambda: (torch.randn(batch, features), torch.randint(10, (batch,))),
    )


def by_name(name, vocabulary):
    """The benchmarks of the step time."""
    return {"gpt2": lambda: gpt2(vocabulary=vocabulary), "resnet18": resnet18, "mlp": mlp}[name]()
