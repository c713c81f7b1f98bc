"""Centre of mass and momentum, of the whole mechanism or of subtrees."""
