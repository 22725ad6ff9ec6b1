"""Classification: which of several classes does this output belong to? One answer for each text.

simulation  judges of known accuracy who share what they see in a text
analysis    accuracy against chance, confusion, d′ of two classes, agreement on the class
"""
