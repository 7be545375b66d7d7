"""`python -m ppaurora.bench`: the benchmark without the rest of the command line."""

from ppaurora.bench.main import main

if __name__ == "__main__":
    main()
