"""pCRU (Belz 2006): generation rules with relations and arguments, trained on raw texts and run in several modes."""
