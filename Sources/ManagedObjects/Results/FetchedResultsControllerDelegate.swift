/// The methods that a ``FetchedResultsController`` calls when its results change, in the task that changes the context.
///
/// The methods are called in the order below. The controller has the new results from the first call on. To process all
/// changes together, implement only ``controller(_:didChangeContentWith:)``. By default, all methods do nothing.
///
/// A new object is reported once, as an insertion. When it is saved, only its ID changes, and only
/// ``controller(_:didChangeContentWith:)`` is called, with ``FetchedResultsChanges/newIDs``.
///
/// A delegate may change, save and delete objects. The changes that result are reported after all calls for the current
/// changes.
///
/// ```swift
/// final class ContactList: FetchedResultsControllerDelegate {
///   var names: [String] = []
///
///   func controller(
///     _ controller: FetchedResultsController<Contact>, didChangeContentWith changes: FetchedResultsChanges
///   ) {
///     names = controller.fetchedObjects.map(\.name)
///   }
/// }
/// ```
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

  /// Called if the results could not be updated after changes. See ``FetchedResultsController/failure``.
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
