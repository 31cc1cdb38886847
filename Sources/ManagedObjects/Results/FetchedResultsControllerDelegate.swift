/// Who is told of the changes of fetched results, in the task that changes the context.
///
/// The functions are called in the order that they have here, and the controller has the new results already with the
/// first one. Who shows all changes together needs ``controller(_:didChangeContentWith:)`` alone. By default, all do
/// nothing.
///
/// A delegate can change objects, save and delete. What comes of it is told after all calls for the changes before.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The class of the objects.
  associatedtype Object: ManagedObject

  /// Changes are going to be told of.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

  /// A section is gone, or new. Those that are gone come first.
  func controller(
    _ controller: FetchedResultsController<Object>, didChangeSection change: FetchedResultsChanges.SectionChange)

  /// An object is new, gone, at another position, or has other values, in this order.
  func controller(
    _ controller: FetchedResultsController<Object>, didChangeObject change: FetchedResultsChanges.ObjectChange)

  /// All changes, for who takes them together.
  func controller(_ controller: FetchedResultsController<Object>, didChangeContentWith changes: FetchedResultsChanges)

  /// All changes were told.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

  /// Changes could not be followed. See ``FetchedResultsController/failure``.
  func controller(_ controller: FetchedResultsController<Object>, didFailWith error: ManagedObjectError)
}

extension FetchedResultsControllerDelegate {
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

  public func controller(
    _ controller: FetchedResultsController<Object>, didChangeSection change: FetchedResultsChanges.SectionChange
  ) {}

  public func controller(
    _ controller: FetchedResultsController<Object>, didChangeObject change: FetchedResultsChanges.ObjectChange
  ) {}

  public func controller(
    _ controller: FetchedResultsController<Object>, didChangeContentWith changes: FetchedResultsChanges
  ) {}

  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}

  public func controller(_ controller: FetchedResultsController<Object>, didFailWith error: ManagedObjectError) {}
}
