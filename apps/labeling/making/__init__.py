"""Making a campaign: what is asked, of which answers, of whom."""
