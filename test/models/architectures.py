"""The networks of the zoo: small configurations of the classes that people really export.

Everything here is a `torch.nn.Module` whose `forward` takes the tensors that become the ONNX
inputs and returns the one tensor that becomes the ONNX output.
"""

import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models.resnet import BasicBlock
from torchvision.models.vision_transformer import VisionTransformer
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
)


class Mlp(nn.Module):
    """A classifier of flat feature vectors."""

    def __init__(self, features=20, hidden=32, classes=10):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(features, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.Tanh(),
            nn.Linear(hidden, classes),
        )

    def forward(self, x):
        return self.layers(x)


class Regression(nn.Module):
    """A residual regression network with activations that `Mlp` doesn't have."""

    def __init__(self, features=12, hidden=24, outputs=3):
        super().__init__()
        self.embed = nn.Linear(features, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.inner = nn.Linear(hidden, hidden)
        self.head = nn.Linear(hidden, outputs)

    def forward(self, x):
        x = F.gelu(self.embed(x))
        x = x + F.silu(self.inner(self.norm(x)))
        return self.head(F.leaky_relu(x, 0.1))


class NarrowResNet18(nn.Module):
    """torchvision's ResNet-18, block for block, with narrower layers.

    torchvision fixes the widths at 64, 128, 256 and 512, which is 45 MB of weights.
    """

    def __init__(self, width=4, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._layer(width, width, stride=1)
        self.layer2 = self._layer(width, 2 * width, stride=2)
        self.layer3 = self._layer(2 * width, 4 * width, stride=2)
        self.layer4 = self._layer(4 * width, 8 * width, stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8 * width, classes)

    @staticmethod
    def _layer(inputs, outputs, stride):
        downsample = None
        if stride != 1:
            downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, kernel_size=1, stride=stride, bias=False),
                nn.BatchNorm2d(outputs),
            )
        return nn.Sequential(
            BasicBlock(inputs, outputs, stride, downsample), BasicBlock(outputs, outputs)
        )

    def forward(self, image):
        x = self.maxpool(self.relu(self.bn1(self.conv1(image))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


class MixtureOfExperts(nn.Module):
    """A transformer-style block whose feed-forward part is a mixture of experts.

    Dispatch is dense: every expert sees every token, and a token's weight for the experts that
    its router didn't choose is zero. Routing that moves tokens can't be exported to ONNX.
    """

    def __init__(self, features=16, hidden=24, experts=4, top_k=2, classes=6):
        super().__init__()
        self.top_k = top_k
        self.norm = nn.LayerNorm(features)
        self.router = nn.Linear(features, experts, bias=False)
        self.up = nn.Parameter(torch.empty(experts, features, hidden).normal_(std=0.25))
        self.down = nn.Parameter(torch.empty(experts, hidden, features).normal_(std=0.25))
        self.head = nn.Linear(features, classes)

    def forward(self, x):
        tokens = self.norm(x)
        probabilities = torch.softmax(self.router(tokens), dim=-1)
        weights, chosen = torch.topk(probabilities, self.top_k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        gates = torch.zeros_like(probabilities).scatter(-1, chosen, weights)
        hidden = F.gelu(torch.einsum("bsf,efh->ebsh", tokens, self.up))
        outputs = torch.einsum("ebsh,ehf->ebsf", hidden, self.down)
        return self.head(x + torch.einsum("ebsf,bse->bsf", outputs, gates))


class CausalLanguageModel(nn.Module):
    """Gives a Hugging Face language model one tensor to take and one to return."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        # The older exporter has no translation of the op by which recent Hugging Face classes
        # look for packed sequences; they don't look for any where a mask is given.
        self.explicit_mask = False

    def forward(self, input_ids):
        mask = torch.ones_like(input_ids) if self.explicit_mask else None
        return self.model(input_ids=input_ids, attention_mask=mask).logits


class Encoder(nn.Module):
    """Gives a Hugging Face encoder the three tensors that its tokenizer makes.

    Were the token types left to their default, the default exporter would fold their embedding
    into a constant of the batch's size, from which training can't get the parameter back.
    """

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, token_type_ids, attention_mask):
        return self.model(
            input_ids=input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask
        ).logits


def vit():
    return VisionTransformer(
        image_size=16, patch_size=4, num_layers=2, num_heads=2, hidden_dim=24, mlp_dim=48,
        num_classes=10,
    )


def gpt2(dropout=0.0):
    return CausalLanguageModel(GPT2LMHeadModel(GPT2Config(
        vocab_size=96, n_positions=24, n_embd=32, n_layer=2, n_head=4, use_cache=False,
        resid_pdrop=dropout, embd_pdrop=dropout, attn_pdrop=dropout,
        bos_token_id=0, eos_token_id=0, attn_implementation="eager",
    )))


def _bert_config(**options):
    return BertConfig(
        vocab_size=80, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=48, max_position_embeddings=24, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0, attn_implementation="eager", **options,
    )


def bert():
    return Encoder(BertForMaskedLM(_bert_config()))


def bert_classifier():
    return Encoder(BertForSequenceClassification(_bert_config(num_labels=3)))


def llama():
    return CausalLanguageModel(LlamaForCausalLM(LlamaConfig(
        vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32, use_cache=False,
        tie_word_embeddings=False, attn_implementation="eager",
    )))


def mixtral():
    return CausalLanguageModel(MixtralForCausalLM(MixtralConfig(
        vocab_size=64, hidden_size=32, intermediate_size=24, num_hidden_layers=1,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32, use_cache=False,
        num_local_experts=4, num_experts_per_tok=2, output_router_logits=False,
        attn_implementation="eager", experts_implementation="batched_mm",
    )))
