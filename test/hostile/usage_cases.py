"""Sound models with options that can't be obeyed: bad usage is status 2, the impossible 1."""

from cases import CLASSIFY, add, classifier

USAGE = (2,)


def usage(name, *options, status=USAGE, mentions=()):
    add(f"usage_{name}", lambda folder: classifier(), mentions, options, status)


usage("unknown_option", *CLASSIFY, "--frobnicate=3", mentions=["frobnicate"])
usage("unknown_target", *CLASSIFY, "--target=abacus", mentions=["abacus"])
usage("unknown_optimizer", *CLASSIFY, "--optimizer=luck(lr=1)", mentions=["luck"])
usage("unknown_parameter_of_optimizer", *CLASSIFY, "--optimizer=sgd(speed=1)", mentions=["speed"])
usage("optimizer_without_closing", *CLASSIFY, "--optimizer=sgd(lr=0.1")
usage("optimizer_with_text_for_a_number", *CLASSIFY, "--optimizer=sgd(lr=fast)")
usage("optimizer_with_infinity", *CLASSIFY, "--optimizer=sgd(lr=inf)")
usage("loss_unknown", "--loss=regret(logits, labels)", mentions=["regret"])
usage("loss_without_closing", "--loss=cross_entropy(logits, labels")
usage("loss_with_one_name", "--loss=cross_entropy(logits)")
usage("loss_empty", "--loss=", status=(1, 2))
usage("dimension_without_value", *CLASSIFY, "--dim=batch")
usage("dimension_with_text_for_a_number", *CLASSIFY, "--dim=batch=many")
usage("dimension_negative", *CLASSIFY, "--dim=batch=-1", status=(1, 2))
usage("dimension_the_model_lacks", *CLASSIFY, "--dim=nonexistent=4", status=(1, 2),
      mentions=["nonexistent"])
usage("devices_zero", *CLASSIFY, "--devices=0")
usage("devices_negative", *CLASSIFY, "--devices=-4")
usage("memory_without_number", *CLASSIFY, "--memory=plenty")
usage("memory_of_one_byte", *CLASSIFY, "--memory=1B", status=(1,))
usage("micro_batches_zero", *CLASSIFY, "--micro-batches=0")
usage("micro_batches_that_do_not_divide", *CLASSIFY, "--micro-batches=3", status=(1,))
usage("precision_unknown", *CLASSIFY, "--precision=f7")
usage("emit_unknown", *CLASSIFY, "--emit=poem")
usage("loss_of_labels_with_the_wrong_shape", "--loss=cross_entropy(logits, x)", status=(1,))
