"""Looking at what some jobs brought: browse only that, note what is missing, hand it to a next harvest."""
