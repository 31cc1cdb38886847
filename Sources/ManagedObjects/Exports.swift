// Requests, validation rules and values of attributes are spoken of in terms of predicates, so a program that imports
// this module needs no second import.
@_exported public import Predicates
