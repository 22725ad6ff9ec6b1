"""Results in words: number formats, plain tables and the sentence that states what may be concluded.

Standard library only; knows the result classes by their fields and imports nothing above it.
"""
