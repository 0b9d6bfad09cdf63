"""GSMN*, GSIMN and GSIMN-FCH, and the robust learner: Markov blankets grown and shrunk."""
