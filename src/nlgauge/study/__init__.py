"""Human studies: a study file is checked, frozen and launched; judges answer; answers are stored, exported, analysed.

types       texts, slots, judgements: small frozen values
fields      one definition for reading YAML, refusing what is wrong by line, and the JSON Schema
design      the study file; texts: the texts it names; frozen: what is fixed and hashed at launch
assign      which judge sees which texts in which order; designs: the same for ratings and comparisons
store       tables, transactions; service: the verbs; export: rows out and in; simulate: a pool of simulated judges
check       what is wrong or risky before launch; judges: machines that answer a study

Nothing here knows the web: the pages, the command line, the simulation and the tests call the same verbs.
"""
