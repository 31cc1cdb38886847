// Nothing: the module map says what to link.
