// Fetch requests, validation rules and values of attributes use the types of Predicates, so a program that imports this
// module needs no second import.
@_exported public import Predicates
