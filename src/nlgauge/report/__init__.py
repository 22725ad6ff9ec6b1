"""Results for people: tables for the terminal (`text`) and one self-contained page (`html`)."""
