"""What the zoo holds: for each model its network, its batches, its loss, and its exports."""

from dataclasses import dataclass
from typing import Callable

import torch

import architectures

IGNORED = -100

CROSS_ENTROPY = "cross_entropy(logits, labels)"
MEAN_SQUARED_ERROR = "mse(output, target)"


@dataclass(frozen=True)
class Model:
    """One network with fixed initial weights, and the samples that it is trained on."""

    name: str
    build: Callable[[], torch.nn.Module]
    # Makes the data tensors, named as the ONNX inputs and the loss's own, first dimension sample.
    samples: Callable[[int], dict]
    batch: int
    batches: int = 4
    inputs: tuple = ("x",)
    loss: str = CROSS_ENTROPY
    sgd_lr: float = 0.1
    # Which exports are made, by the names in `exporters.py`, and the older exporter's opset:
    # spread over the models, so that the zoo holds many.
    exports: tuple = ("dynamo", "torchscript")
    opset: int = 17
    # A fresh model keeps the equal weights and zero biases that it was initialised with.
    fresh: bool = False
    # Trained as a file exported for inference says: normalised by the running statistics.
    frozen_statistics: bool = False
    # Random masks can't be compared with another framework's.
    has_reference: bool = True
    # Added to the seed that follows from the name: see `references.sensitivity`.
    seed: int = 0

    @property
    def output(self):
        return "output" if self.loss == MEAN_SQUARED_ERROR else "logits"

    @property
    def target(self):
        return "target" if self.loss == MEAN_SQUARED_ERROR else "labels"

    def fresh_network(self):
        """The network with its initial weights, the same at every call."""
        torch.manual_seed(self._seed())
        network = self.build().train(not self.frozen_statistics)
        if not self.fresh:
            _make_distinct(network)
        return network

    def data(self):
        """The fixed samples, `batches` batches of them."""
        torch.manual_seed(self._seed() + 1)
        return self.samples(self.batches * self.batch)

    def _seed(self):
        """Follows from the model alone, so that adding one changes no other."""
        return self.seed + sum((place + 1) * ord(c) for place, c in enumerate(self.name))


@torch.no_grad()
def _make_distinct(network):
    """Gives every parameter and statistic values of its own.

    The default exporter merges initializers that are equal, and initialisation as small as a
    language model's leaves the losses of the first steps almost independent of most weights.
    """
    for parameter in network.parameters():
        if parameter.ndim <= 1:
            is_scale = bool((parameter == 1).all())
            parameter.copy_(is_scale + 0.1 * torch.randn_like(parameter))
        else:
            fan_in = parameter.shape[-1] if parameter.ndim <= 3 else parameter[0].numel()
            parameter.copy_(torch.randn_like(parameter) * fan_in**-0.5)
    for name, parameter in network.named_parameters():
        # A residual network starts with weak residual branches, or its losses are chaotic.
        if name.endswith("bn2.weight"):
            parameter.mul_(0.3)
        elif "bn" in name and name.endswith("bias"):
            parameter.add_(0.5)
    for name, buffer in network.named_buffers():
        if name.endswith(("running_mean", "running_var")):
            buffer.add_(0.1 * torch.rand_like(buffer))


def _classified(*shape, classes):
    """Gaussian features with a label each."""
    return lambda n: {"x": torch.randn(n, *shape), "labels": torch.randint(classes, (n,))}


def _images(size):
    return lambda n: {
        "image": torch.randn(n, 3, size, size),
        "labels": torch.randint(10, (n,)),
    }


def _regression(n):
    x = torch.randn(n, 12)
    return {"x": x, "target": torch.stack([x.sum(1), x[:, 0] * x[:, 1], x[:, 2].sin()], dim=1)}


def _token_classification(n):
    return {"x": torch.randn(n, 8, 16), "labels": torch.randint(6, (n, 8))}


def _text(vocabulary, length):
    """Sequences with the next token as label; the last position and a few others have none."""

    def samples(n):
        tokens = torch.randint(vocabulary, (n, length + 1))
        labels = tokens[:, 1:].clone()
        labels[:, -1] = IGNORED
        labels[torch.rand(labels.shape) < 0.2] = IGNORED
        return {"input_ids": tokens[:, :-1].contiguous(), "labels": labels}

    return samples


def _encoded(n):
    """Padded pairs of sentences, as a tokenizer makes them."""
    lengths = torch.randint(9, 17, (n, 1))
    positions = torch.arange(16).expand(n, 16)
    attention_mask = (positions < lengths).long()
    return {
        "input_ids": torch.randint(1, 80, (n, 16)) * attention_mask,
        "token_type_ids": (positions >= lengths // 2).long() * attention_mask,
        "attention_mask": attention_mask,
    }


def _masked_text(n):
    samples = _encoded(n)
    hidden = (torch.rand(n, 16) < 0.3) & (samples["attention_mask"] == 1)
    hidden[:, 0] = True
    samples["labels"] = torch.where(hidden, samples["input_ids"], IGNORED)
    samples["input_ids"] = samples["input_ids"].masked_fill(hidden, 1)
    return samples


def _classified_text(n):
    return {**_encoded(n), "labels": torch.randint(3, (n,))}


_GPT2 = dict(batch=4, inputs=("input_ids",), samples=_text(vocabulary=96, length=16))
_BERT = dict(batch=4, inputs=("input_ids", "token_type_ids", "attention_mask"))

MODELS = [
    Model("mlp", architectures.Mlp, _classified(20, classes=10), batch=8, opset=9),
    Model("regression", architectures.Regression, _regression, batch=8, opset=13,
          loss=MEAN_SQUARED_ERROR, sgd_lr=0.02, exports=("dynamo", "dynamic", "torchscript")),
    # The default export folds the normalisations into the convolutions: nothing of what this
    # model is about would be left.
    Model("resnet18", architectures.NarrowResNet18, _images(48), batch=8, batches=2,
          inputs=("image",), sgd_lr=0.01, seed=1, exports=("unoptimized", "torchscript")),
    Model("resnet18_frozen", architectures.NarrowResNet18, _images(32), batch=8, batches=2,
          inputs=("image",), sgd_lr=0.01, frozen_statistics=True, exports=("unoptimized",)),
    Model("vit", architectures.vit, _images(16), batch=8, inputs=("image",), opset=18,
          sgd_lr=0.05, exports=("dynamo", "dynamic", "torchscript")),
    Model("gpt2", architectures.gpt2, opset=14,
          exports=("dynamo", "dynamic", "unoptimized", "torchscript"), **_GPT2),
    Model("gpt2_fresh", architectures.gpt2, fresh=True, exports=("dynamo",), **_GPT2),
    Model("gpt2_dropout", lambda: architectures.gpt2(dropout=0.1), has_reference=False, **_GPT2),
    Model("bert", architectures.bert, _masked_text, opset=16, **_BERT),
    Model("bert_classifier", architectures.bert_classifier, _classified_text, opset=20, **_BERT),
    Model("llama", architectures.llama, _text(vocabulary=96, length=16), batch=4, opset=20,
          inputs=("input_ids",), exports=("dynamo", "dynamic", "opset23", "torchscript")),
    Model("moe", architectures.MixtureOfExperts, _token_classification, batch=4, opset=15),
    Model("mixtral", architectures.mixtral, _text(vocabulary=64, length=16), batch=4,
          inputs=("input_ids",)),
]
