"""PFMN: a posterior over structures that asks the most informative test it can afford."""
