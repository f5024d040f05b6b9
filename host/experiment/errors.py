"""What goes wrong with an experiment, as a sentence for people: what, where, and the remedy."""


class ExperimentError(Exception):
    """The experiment cannot go on; the text names the thing and the remedy."""
