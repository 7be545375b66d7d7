"""`python -m bench`: the benchmark without the rest of the command line."""

from bench.main import main

if __name__ == "__main__":
    main()
