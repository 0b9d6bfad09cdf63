"""Class probabilities from a Markov network over attributes and class, behind scikit-learn's interface."""
