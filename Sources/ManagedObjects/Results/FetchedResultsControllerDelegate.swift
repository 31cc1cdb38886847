/// The methods that a controller calls for changes of fetched results, in the task that changes the context.
///
/// They are called in the order below. The controller has the new results from the first call on. To process all
/// changes together, ``controller(_:didChangeContentWith:)`` is enough. All methods do nothing by default.
///
/// A delegate may change, save and delete objects. The resulting changes are reported after all calls for the present
/// ones.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The class of the objects.
  associatedtype Object: ManagedObject

  /// Called before changes are reported.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

  /// Called for each deleted section, then for each inserted one.
  func controller(
    _ controller: FetchedResultsController<Object>, didChangeSection change: FetchedResultsChanges.SectionChange)

  /// Called for each inserted, deleted, moved and updated object, in this order.
  func controller(
    _ controller: FetchedResultsController<Object>, didChangeObject change: FetchedResultsChanges.ObjectChange)

  /// Called once with all changes.
  func controller(_ controller: FetchedResultsController<Object>, didChangeContentWith changes: FetchedResultsChanges)

  /// Called after all changes were reported.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

  /// Called if changes could not be followed. See ``FetchedResultsController/failure``.
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
