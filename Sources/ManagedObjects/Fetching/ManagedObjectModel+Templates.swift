internal import ObjectModels
public import Predicates
internal import PropertyLists

extension ManagedObjectModel {
  /// Returns the request of a template, with values for the variables of its predicates.
  ///
  /// ```swift
  /// let request = try model.fetchRequest(fromTemplate: "notesOf", substituting: ["AUTHOR": person.objectID])
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name in ``ManagedObjectModel/fetchRequestTemplates``.
  ///   - variables: the values by variable name, without the dollar sign.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the template;
  ///   ``ManagedObjectError/Code/unsupportedRequest`` if a variable has no value, or a value of the wrong type.
  public func fetchRequest(
    fromTemplate name: String, substituting variables: [String: any PredicateArgument] = [:]
  ) throws(ManagedObjectError) -> FetchRequest {
    guard var request = fetchRequestTemplates[name] else {
      throw ManagedObjectError(.undefinedKey, "the model has no fetch-request template \(name.quoted)", key: name)
    }
    request.predicate = request.predicate?.substituting(variables)
    request.havingPredicate = request.havingPredicate?.substituting(variables)
    try request.check(against: self)
    return request
  }
}
