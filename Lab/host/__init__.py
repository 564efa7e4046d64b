"""The host's side of the radio lab: see docs/radio-lab.md."""
