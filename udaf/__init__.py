"""What is computed: the contract of an aggregate, built-ins, application to columns."""
