"""Other engines' windows against the definition: see docs/oracle.md."""
