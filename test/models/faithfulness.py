"""Shows that training an exported file can lead to the losses of training its module.

Every initializer of the file is written as a function of the module's parameters, then the file's
graph is trained in place of the module's `forward`. What can't be written so was lost in the
export, and no compiler could get it back.
"""

import itertools

import onnx
import torch

import interpreter
import references


class Exported(torch.nn.Module):
    """The module's parameters under the file's graph."""

    def __init__(self, model, path):
        super().__init__()
        self.network = model.fresh_network()
        self.inputs = model.inputs
        self.proto = onnx.load(path)
        if not model.frozen_statistics:
            _use_batch_statistics(self.proto)
        parameters = dict(self.network.named_parameters())
        self.constants, self.recipes = {}, {}
        for tensor in self.proto.graph.initializer:
            value = interpreter.to_torch(tensor)
            recipe = _recipe(value, parameters) if value.is_floating_point() else None
            if recipe is None:
                self.constants[tensor.name] = value
            else:
                self.recipes[tensor.name] = recipe
        used = {name for name, _ in self.recipes.values()}
        self.lost = sorted(set(parameters) - used)

    def forward(self, *batch):
        parameters = dict(self.network.named_parameters())
        values = dict(zip(self.inputs, batch))
        values.update(self.constants)
        values.update((k, view(parameters[p])) for k, (p, view) in self.recipes.items())
        return interpreter.run(self.proto, values)


def _use_batch_statistics(proto):
    """What the option `--batchnorm=train` does to a file."""
    for node in proto.graph.node:
        if node.op_type == "BatchNormalization":
            kept = [a for a in node.attribute if a.name != "training_mode"]
            del node.attribute[:]
            node.attribute.extend([*kept, onnx.helper.make_attribute("training_mode", 1)])


def _recipe(value, parameters):
    """A parameter's name and the function of it that gives `value`, or None."""
    for name, parameter in parameters.items():
        for view in _views(parameter, value.shape):
            if torch.equal(view(parameter), value):
                return name, view
    return None


def _views(parameter, shape):
    """What the exporters make of a parameter: itself, a permutation, its first rows, copies."""
    if parameter.shape == shape:
        yield lambda p: p
    if parameter.ndim == len(shape) and sorted(parameter.shape) == sorted(shape):
        for order in itertools.permutations(range(parameter.ndim)):
            if tuple(parameter.shape[axis] for axis in order) == shape:
                yield lambda p, order=order: p.permute(order)
    if parameter.ndim == 2 and len(shape) == 3 and shape[0] == 1:
        if shape[1] <= parameter.shape[0] and shape[2] == parameter.shape[1]:
            yield lambda p: p[: shape[1]].unsqueeze(0)
    if parameter.ndim == len(shape) and parameter.shape[0] == 1 < shape[0]:
        if parameter.shape[1:] == shape[1:]:
            yield lambda p: p.expand(shape)


def check(model, path, expected):
    """Trains the file with SGD, and stops where its losses are not the expected ones."""
    exported = Exported(model, path)
    if exported.lost:
        raise SystemExit(f"{path.name}: nothing is left of {', '.join(exported.lost)}")
    losses = references.losses(model, "sgd", torch.float32, network=exported)
    worst = max(abs(a - b) / abs(b) for a, b in zip(losses, expected))
    if not worst <= references.LARGEST_SENSITIVITY:
        raise SystemExit(f"{path.name}: trained, its losses differ by {worst:.1e}")
    return worst
