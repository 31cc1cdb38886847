/// Values of Apple's classes that Swift has no type for, or none that every process can make, as plain structures.
///
/// They hold what an archive says, and nothing else: a regular expression is its pattern and its options, and does not
/// match anything.
public enum Archived {}
