"""The data sets that boon is measured on: fetched, derived, checked and written as HDF5."""
