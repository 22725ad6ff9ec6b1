"""From a study file to a frozen design: texts, pictures, slots, and the folder they are kept in."""
