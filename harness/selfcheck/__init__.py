"""`harness selfcheck`: does this machine give the verdicts that are promised?"""
