"""Problems from files, and into them: FCLIB's format in HDF5."""
