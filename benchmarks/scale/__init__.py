"""How latency, index rate, memory and disk grow with the number of passages."""
