"""Conversations: a judge talks with a system behind an address, blind to which, and then rates the conversation.

A chat study is a rating study whose text comes about on the spot: criteria, scales, designs and the analysis are those
of `ratings`. What is its own:

conversation    a record as a conversation: whose turn it is, whether it may end, what failed
bots            the systems as the server calls them, and scripted ones for rehearsals
simulation      judges who converse with scripted systems and rate them
analysis        that of ratings, with lengths of conversations beside it
"""
