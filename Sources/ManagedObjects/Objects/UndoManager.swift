internal import Predicates

extension ManagedObjectContext {
  /// A record of the changes of a context, in groups that can be undone and redone.
  ///
  /// ```swift
  /// context.undoManager = ManagedObjectContext.UndoManager()
  /// note.title = "Letters"
  /// context.undoManager?.setActionName("Rename")
  /// context.processPendingChanges()
  /// context.undo()
  /// print(context.undoManager?.redoActionName ?? "")       // Rename
  /// ```
  ///
  /// A group contains the changes up to the next ``ManagedObjectContext/processPendingChanges()``, save or undo. To
  /// make larger groups, use ``beginUndoGrouping()`` and ``endUndoGrouping()``.
  public final class UndoManager {
    /// The maximum number of groups that can be undone; 0 for no limit.
    public var levelsOfUndo = 0 { didSet { trim() } }
    private var undoGroups: [Group] = []
    private var redoGroups: [Group] = []
    private var open = Group()
    private var depth = 0
    private var disabled = 0
    var isReplaying = false

    /// Changes that are undone together.
    struct Group {
      var name = ""
      var changes: [Change] = []
    }

    /// A change, with the data to undo it.
    enum Change {
      case value(ManagedObject, slot: Int, old: RowValue)
      case put(ManagedObject, slot: Int, RowKey)
      case drop(ManagedObject, slot: Int, RowKey, at: Int?)
      case created(ManagedObject)
      case deleted(ManagedObject, wasNew: Bool)

      /// The object that changed.
      var object: ManagedObject {
        switch self {
        case .value(let object, _, _), .put(let object, _, _), .drop(let object, _, _, _), .created(let object),
          .deleted(let object, _):
          object
        }
      }

      /// The snapshot event of the object when this change is undone.
      var undoEvent: SnapshotEventType {
        switch self {
        case .value, .put, .drop: .undoUpdate
        case .created: .undoInsertion
        case .deleted: .undoDeletion
        }
      }
    }

    /// An undo manager without changes.
    public init() {}

    /// True if there is a group to undo.
    public var canUndo: Bool { !undoGroups.isEmpty || !open.changes.isEmpty }

    /// True if there is a group to redo.
    public var canRedo: Bool { !redoGroups.isEmpty && open.changes.isEmpty }

    /// The name of the group that ``ManagedObjectContext/undo()`` undoes next; empty if it has none.
    public var undoActionName: String { open.changes.isEmpty ? undoGroups.last?.name ?? "" : open.name }

    /// The name of the group that ``ManagedObjectContext/redo()`` redoes next; empty if it has none.
    public var redoActionName: String { canRedo ? redoGroups.last?.name ?? "" : "" }

    /// The number of groups that were begun with ``beginUndoGrouping()`` and have not been ended.
    public var groupingLevel: Int { depth }

    /// Sets the name of the current group, to which changes are being added.
    public func setActionName(_ name: String) { open.name = name }

    /// Begins a group. Nested groups become part of it.
    ///
    /// ```swift
    /// undoManager.beginUndoGrouping()
    /// note.title = "Letters"
    /// context.processPendingChanges()
    /// note.pages = 3
    /// undoManager.endUndoGrouping()
    /// context.undo()                                         // restores the title and the number of pages
    /// ```
    public func beginUndoGrouping() {
      if depth == 0 { closeGroup() }
      depth += 1
    }

    /// Ends a group. Does nothing if no group was begun.
    public func endUndoGrouping() {
      guard depth > 0 else { return }
      depth -= 1
      if depth == 0 { closeGroup() }
    }

    /// True if changes are recorded.
    public var isUndoRegistrationEnabled: Bool { disabled == 0 }

    /// Stops recording changes until ``enableUndoRegistration()`` has been called as many times as this method. Use it
    /// while you set derived values, for example in `willSave`: after an undo, they are computed again.
    ///
    /// ```swift
    /// override func willSave() {
    ///   managedObjectContext?.undoManager?.disableUndoRegistration()
    ///   length = text.count
    ///   managedObjectContext?.undoManager?.enableUndoRegistration()
    /// }
    /// ```
    public func disableUndoRegistration() { disabled += 1 }

    /// Reverses one call of ``disableUndoRegistration()``. Does nothing without such a call.
    public func enableUndoRegistration() { disabled = max(0, disabled - 1) }

    /// Removes all groups from the undo manager.
    public func removeAllActions() {
      // Objects are released at the end, because the deallocator of data may use the undo manager.
      let old = (undoGroups, redoGroups, open)
      undoGroups = []
      redoGroups = []
      open = Group()
      withExtendedLifetime(old) {}
    }

    func record(_ change: Change) {
      guard isUndoRegistrationEnabled else { return }
      if !isReplaying, !redoGroups.isEmpty { removeRedoGroups() }
      open.changes.append(change)
    }

    private func removeRedoGroups() {
      let old = redoGroups
      redoGroups = []
      withExtendedLifetime(old) {}
    }

    /// Ends the current group, unless the program began it with ``beginUndoGrouping()``.
    func closeGroup() {
      guard depth == 0, !isReplaying else { return }
      if !open.changes.isEmpty {
        undoGroups.append(open)
        trim()
      }
      open = Group()
    }

    private func trim() {
      guard levelsOfUndo > 0, undoGroups.count > levelsOfUndo else { return }
      let old = Array(undoGroups.dropLast(levelsOfUndo))
      undoGroups.removeFirst(old.count)
      withExtendedLifetime(old) {}
    }

    /// Removes the last group and passes it to `body`, which undoes or redoes its changes. The changes that `body`
    /// makes are recorded as the group for the opposite action.
    func replay(redoing: Bool, _ body: (Group) -> Void) {
      depth = 0
      closeGroup()
      guard let group = redoing ? redoGroups.popLast() : undoGroups.popLast() else { return }
      isReplaying = true
      open = Group(name: group.name)
      body(group)
      isReplaying = false
      let reverse = open
      open = Group()
      // It is empty if the objects have left the context, for example because `body` has reset it.
      if reverse.changes.isEmpty { return }
      if redoing { undoGroups.append(reverse) } else { redoGroups.append(reverse) }
    }
  }
}
