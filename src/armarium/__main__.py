"""`python -m armarium`."""

from armarium.cli.main import main

if __name__ == "__main__":
    main()
