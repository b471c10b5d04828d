"""The losses of a few training steps in PyTorch, to which the compiler's are compared."""

import torch
import torch.nn.functional as F

import zoo

STEPS = 20
PERTURBATIONS = 8
# Losses are compared at 1e-4: what rounding alone does to them must stay well below.
LARGEST_SENSITIVITY = 2e-5


def optimizer_specs(model):
    """The optimizers that every model is trained with, as `lgc-opt --optimizer` spells them."""
    return {
        "sgd": f"sgd(lr={model.sgd_lr})",
        "adamw": "adamw(lr=1e-3, weight_decay=0.01)",
    }


def losses(model, optimizer, dtype, perturbation=None, network=None):
    """The loss of each step's batch before the step's update.

    Step k (from 1) uses samples (k-1)*batch to k*batch-1, wrapping around. `perturbation` is the
    seed of a change of all weights by about a rounding error. `network` takes the place of the
    model's own.
    """
    network = network or model.fresh_network().to(dtype)
    if perturbation is not None:
        _perturb(network, perturbation)
    update = _optimizer(optimizer, network, model)
    data = {
        name: tensor.to(dtype) if tensor.is_floating_point() else tensor
        for name, tensor in model.data().items()
    }
    result = []
    for step in range(STEPS):
        first = step % model.batches * model.batch
        batch = {name: tensor[first : first + model.batch] for name, tensor in data.items()}
        output = network(*(batch[name] for name in model.inputs))
        loss = _loss(model, output, batch[model.target])
        update.zero_grad()
        loss.backward()
        update.step()
        result.append(float(loss))
    return result


def _optimizer(name, network, model):
    if name == "sgd":
        return torch.optim.SGD(network.parameters(), lr=model.sgd_lr)
    matrices = [p for p in network.parameters() if p.ndim > 1]
    vectors = [p for p in network.parameters() if p.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.999), eps=1e-8)


def _loss(model, output, target):
    if model.loss == zoo.MEAN_SQUARED_ERROR:
        return F.mse_loss(output, target)
    return F.cross_entropy(
        output.flatten(0, -2), target.flatten(), ignore_index=zoo.IGNORED
    )


@torch.no_grad()
def _perturb(network, seed):
    torch.manual_seed(seed)
    for parameter in network.parameters():
        parameter.mul_(1 + 1e-6 * torch.randn_like(parameter))


def sensitivity(model, optimizer, expected):
    """The largest relative change of a loss that changes of the weights by 1e-6 make.

    A unit of a ReLU that happens to lie within rounding of zero at some step makes the losses
    after it depend on the order of a sum: a model that has one can't be compared at 1e-4,
    however right the other program is, and gets another seed.
    """
    return max(
        abs(loss - wanted) / abs(wanted)
        for perturbation in range(PERTURBATIONS)
        for loss, wanted in zip(losses(model, optimizer, torch.float32, perturbation), expected)
    )


def reference(model):
    """The content of the model's reference file."""
    result = {"framework": f"PyTorch {torch.__version__.split('+')[0]}", "optimizers": {}}
    for name, spec in optimizer_specs(model).items():
        single = losses(model, name, torch.float32)
        double = losses(model, name, torch.float64)
        result["optimizers"][name] = {
            "spec": spec,
            "losses": single,
            "losses_in_float64": double,
            "sensitivity": sensitivity(model, name, double),
        }
    return result
