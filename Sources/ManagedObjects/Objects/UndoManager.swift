internal import Predicates

extension ManagedObjectContext {
  /// Takes changes of a context back, and makes them again, in groups.
  ///
  /// ```swift
  /// context.undoManager = ManagedObjectContext.UndoManager()
  /// ```
  ///
  /// What is changed until ``ManagedObjectContext/processPendingChanges()``, a save or an undo is a group. A program
  /// makes larger ones with ``beginUndoGrouping()`` and ``endUndoGrouping()``.
  public final class UndoManager {
    /// The most groups that can be taken back; 0 for any number.
    public var levelsOfUndo = 0 { didSet { trim() } }
    private var undoGroups: [Group] = []
    private var redoGroups: [Group] = []
    private var open = Group()
    private var depth = 0
    private var disabled = 0
    var isReplaying = false

    /// Changes that are taken back together.
    struct Group {
      var name = ""
      var changes: [Change] = []
    }

    /// What is needed to take a change back.
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
    }

    /// An undo manager without changes.
    public init() {}

    /// True if there is a group to take back.
    public var canUndo: Bool { !undoGroups.isEmpty || !open.changes.isEmpty }

    /// True if there is a group to make again.
    public var canRedo: Bool { !redoGroups.isEmpty && open.changes.isEmpty }

    /// The name of the group that would be taken back; empty if it has none.
    public var undoActionName: String { open.changes.isEmpty ? undoGroups.last?.name ?? "" : open.name }

    /// The name of the group that would be made again; empty if it has none.
    public var redoActionName: String { canRedo ? redoGroups.last?.name ?? "" : "" }

    /// How many groups are open that a program began.
    public var groupingLevel: Int { depth }

    /// Names the changes of the group that is open.
    public func setActionName(_ name: String) { open.name = name }

    /// Begins a group. Groups within it are part of it.
    public func beginUndoGrouping() {
      if depth == 0 { closeGroup() }
      depth += 1
    }

    /// Ends a group. Without one that was begun it does nothing.
    public func endUndoGrouping() {
      guard depth > 0 else { return }
      depth -= 1
      if depth == 0 { closeGroup() }
    }

    /// False while changes are not recorded.
    public var isUndoRegistrationEnabled: Bool { disabled == 0 }

    /// Records no changes until as many calls of ``enableUndoRegistration()``. For values that follow from others, and
    /// are made again whenever these change: in `willSave`, for example.
    public func disableUndoRegistration() { disabled += 1 }

    /// Ends what ``disableUndoRegistration()`` began. Without that it does nothing.
    public func enableUndoRegistration() { disabled = max(0, disabled - 1) }

    /// Forgets all changes. None can be taken back.
    public func removeAllActions() {
      undoGroups = []
      redoGroups = []
      open = Group()
    }

    func record(_ change: Change) {
      guard isUndoRegistrationEnabled else { return }
      if !isReplaying { redoGroups = [] }
      open.changes.append(change)
    }

    /// Ends the group of what was changed so far, unless the program began one.
    func closeGroup() {
      guard depth == 0 else { return }
      if !open.changes.isEmpty {
        undoGroups.append(open)
        trim()
      }
      open = Group()
    }

    private func trim() {
      if levelsOfUndo > 0, undoGroups.count > levelsOfUndo { undoGroups.removeFirst(undoGroups.count - levelsOfUndo) }
    }

    /// Takes the last group out. What is recorded while `body` runs is what makes it again.
    func replay(redoing: Bool, _ body: (Group) -> Void) {
      depth = 0
      closeGroup()
      guard let group = redoing ? redoGroups.popLast() : undoGroups.popLast() else { return }
      isReplaying = true
      open = Group(name: group.name)
      body(group)
      isReplaying = false
      if redoing { undoGroups.append(open) } else { redoGroups.append(open) }
      open = Group()
    }
  }
}
