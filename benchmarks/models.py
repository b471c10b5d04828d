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


def _torchvision(title, name, size, batch):
    """A classifier of torchvision, by its function's name, on square images."""
    def build():
        import torchvision.models

        return getattr(torchvision.models, name)()

    return Benchmark(
        f"{title} ({size}x{size}, batch {batch})", "image", build,
        lambda: (torch.randn(batch, 3, size, size), torch.randint(1000, (batch,))),
        older_exporter=True,
    )


def resnet18(size=64, batch=32):
    return _torchvision("ResNet-18", "resnet18", size, batch)


def resnet50(size=112, batch=8):
    return _torchvision("ResNet-50", "resnet50", size, batch)


def vgg16(size=224, batch=2):
    return _torchvision("VGG-16", "vgg16", size, batch)


def mobilenet(size=112, batch=16):
    return _torchvision("MobileNet v2", "mobilenet_v2", size, batch)


class UNet(nn.Module):
    """Ronneberger's U-Net (2015) with batch normalisation and padding, on square images."""

    def __init__(self, width, depth, classes):
        super().__init__()
        widths = [width * 2**level for level in range(depth + 1)]
        self.down = nn.ModuleList(
            self.block(before, after) for before, after in zip([3, *widths], widths))
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(2 * width, width, 2, 2) for width in reversed(widths[:-1]))
        self.merge = nn.ModuleList(self.block(2 * width, width) for width in reversed(widths[:-1]))
        self.head = nn.Conv2d(width, classes, 1)

    @staticmethod
    def block(before, after):
        layers = []
        for inputs in (before, after):
            layers += [nn.Conv2d(inputs, after, 3, padding=1, bias=False), nn.BatchNorm2d(after),
                       nn.ReLU()]
        return nn.Sequential(*layers)

    def forward(self, image):
        skipped = []
        for level, block in enumerate(self.down):
            image = block(F.max_pool2d(image, 2) if level else image)
            skipped.append(image)
        skipped.pop()
        for up, merge in zip(self.up, self.merge):
            image = merge(torch.cat([skipped.pop(), up(image)], dim=1))
        # The classes last, as the loss of all benchmarks has them.
        return self.head(image).permute(0, 2, 3, 1)


def unet(width=32, depth=4, size=96, batch=4, classes=8):
    return Benchmark(
        f"U-Net ({size}x{size}, batch {batch})", "image", lambda: UNet(width, depth, classes),
        lambda: (torch.randn(batch, 3, size, size), torch.randint(classes, (batch, size, size))),
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
    """The benchmarks by their short names."""
    return {
        "gpt2": lambda: gpt2(vocabulary=vocabulary), "resnet18": resnet18, "mlp": mlp,
        "gpt2-12": lambda: gpt2(layers=12, width=768, heads=12, batch=4, vocabulary=vocabulary),
        "resnet50": resnet50, "vgg16": vgg16, "unet": unet, "mobilenet": mobilenet,
    }[name]()
