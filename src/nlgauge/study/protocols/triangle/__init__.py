"""The triangle test (González Corbelle, Alonso and Bugarín 2020): three texts, of which one has another author.

practice        triads before the first that counts
simulation      judges who perceive the difference or guess
"""
