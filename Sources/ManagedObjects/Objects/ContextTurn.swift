internal import Synchronization

/// The actor that a context is confined to, and the work at the end of the actor's current turn: merging the changes of
/// other contexts, reporting changes to observers, and saving automatically.
///
/// Any thread may call ``schedule()``. The work runs on the actor as a separate job, so it never interrupts a function
/// that uses the context.
final class ContextTurn: Sendable {
  private weak let actor: (any Actor)?
  private let isScheduled = Atomic(false)
  // Like the context itself, both are used only on the actor.
  nonisolated(unsafe) private weak var context: ManagedObjectContext?
  /// The context, if it has unsaved changes and must not be released before they are saved.
  nonisolated(unsafe) private var retained: ManagedObjectContext?

  init(_ actor: any Actor) { self.actor = actor }

  /// Returns a turn for another context of the same actor; nil if the actor was released.
  func sibling() -> ContextTurn? { actor.map { ContextTurn($0) } }

  /// Sets the context. Called once, by the context's initializer.
  func begin(_ context: ManagedObjectContext) { unsafe self.context = context }

  /// Schedules the work, unless it is scheduled already. Does nothing if the actor was released.
  func schedule() {
    guard let actor, !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    Task { await end(isolation: actor) }
  }

  /// Schedules the work, and retains the context until the work is done. Must be called on the actor.
  func scheduleRetaining(_ context: ManagedObjectContext) {
    guard actor != nil else { return }
    unsafe retained = context
    schedule()
  }

  private func end(isolation: isolated any Actor) {
    isScheduled.store(false, ordering: .releasing)
    guard let context = unsafe retained ?? context else { return }
    unsafe retained = nil
    context.endTurn()
  }
}

extension ManagedObjectContext {
  /// True if the end of a turn is needed even without observers, to close the undo group or to save.
  var endsTurns: Bool { turn != nil && (autosaves || undoManager != nil) }

  /// Schedules the end of the current turn, if the context is confined to an actor.
  func scheduleEndOfTurn() {
    guard let turn else { return }
    if autosaves { turn.scheduleRetaining(self) } else { turn.schedule() }
  }

  /// Merges the changes of other contexts, reports all changes to observers, and saves if ``autosaves`` is true.
  func endTurn() {
    processPendingChanges()
    if autosaves, hasChanges { autosave() }
  }

  private func autosave() {
    do { try save() } catch { report(error) }
  }
}
