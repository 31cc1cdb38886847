// Contexts and stores use the types of ObjectModels and of Predicates, so a program that imports this module needs no
// further import.
@_exported public import ObjectModels
@_exported public import Predicates
