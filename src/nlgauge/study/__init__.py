"""Human studies: a study file is checked, frozen and launched; judges answer; answers are stored, exported, analysed.

From the bottom to the top, each importing what stands above it in this list:

model, refusals, languages   texts, slots, judgements: small frozen values; why a verb refuses; wordings by language
file                         one definition for reading YAML, refusing what is wrong by line, and the JSON Schema
designs, criteria            who judges what in which order; questions of published protocols
store                        tables and transactions
launch                       what is fixed and hashed, the texts it names
protocols                    what is asked, shown, stored and analysed in each kind of study
service                      the verbs of judges and researcher
exchange, simulation         rows out and in; a pool of simulated judges
analysis, check, statement   what counts; what is wrong or risky before launch; the design statement
machine_judges               programs that answer a study; question_review reads its questions

Nothing here knows the web: the pages, the command line, the simulation and the tests call the same verbs.
"""
