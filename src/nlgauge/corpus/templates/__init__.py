"""Templates and realisations of entities, taken from annotations or induced by finding the input's values in a text."""
