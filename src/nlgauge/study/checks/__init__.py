"""What is wrong with a study before anybody is asked: the file, the plan, the texts, the wordings."""
