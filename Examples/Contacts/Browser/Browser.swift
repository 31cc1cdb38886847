import Foundation
import ManagedObjects

/// A full-screen view of the address book. It shows changes of other processes when they are saved.
@MainActor
final class Browser {
  /// The part of the screen that receives keys.
  enum Mode {
    case list
    case search(LineEditor)
    case form(PersonForm)
  }

  private enum Event: Sendable {
    case typed([UInt8])
    case saved(Result<SavedChanges, ManagedObjectError>)
    case signal(Int32)
    case ended
  }

  let title: String
  private let news: AsyncStream<Result<SavedChanges, ManagedObjectError>>
  private let context: ManagedObjectContext
  private let undoManager = ManagedObjectContext.UndoManager()
  let list: PersonList
  private(set) var mode = Mode.list
  /// The message about the last action.
  private(set) var message = ""
  /// The number of lines on a page.
  private var page = 10
  /// True while the file cannot be read.
  private var isUnreadable = false
  /// True if the selected person has disappeared from the list, and no key has been pressed since.
  private var hasLostSelection = false

  init(_ book: AddressBook, title: String) throws {
    self.title = title
    // Starts observing before the first fetch, so that no change is missed.
    news = book.remoteChanges
    context = book.newContext()
    context.undoManager = undoManager
    list = try PersonList(context)
  }

  /// Shows the address book until the user quits.
  func run() async {
    let terminal = Terminal()
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    Thread.detachNewThread {
      while let bytes = Terminal.read() { continuation.yield(.typed(bytes)) }
      continuation.yield(.ended)
    }
    let following = Task { [news] in for await changes in news { continuation.yield(.saved(changes)) } }
    Signals.watch(Signals.deadly + [SIGWINCH, SIGTSTP, SIGCONT]) { continuation.yield(.signal($0)) }
    terminal.enter()
    defer {
      terminal.leave()
      following.cancel()
    }
    draw(on: terminal)
    var typed: [UInt8] = []
    for await event in events {
      switch event {
      case .typed(let bytes):
        typed += bytes
        for key in Key.keys(in: &typed) {
          if key == .control("z") {
            // Stops all processes of the job, as the terminal itself would do.
            kill(0, SIGTSTP)
          } else if !take(key) {
            return
          }
        }
      case .saved(let changes): merge(changes)
      case .signal(SIGWINCH): terminal.forget()
      case .signal(SIGCONT): terminal.enter()
      case .signal(let number):
        terminal.leave()
        Signals.takeDefault(number)
        // The process was stopped and has continued, or could not be stopped.
        terminal.enter()
      case .ended: return
      }
      draw(on: terminal)
    }
  }

  private func draw(on terminal: Terminal) {
    let size = terminal.size
    let frame = BrowserFrame(self, lines: size.lines, columns: size.columns)
    page = max(1, frame.listHeight - 1)
    terminal.show(frame.lines, cursor: frame.cursor)
  }
}

/// Keys.
extension Browser {
  /// Handles a key. Returns false to quit.
  private func take(_ key: Key) -> Bool {
    switch mode {
    case .list: return takeInList(key)
    case .search(var editor):
      switch key {
      case .enter: mode = .list
      case .escape, .control("c"):
        show(search: "", group: list.group)
        mode = .list
      default:
        if moves(key) { break }
        guard editor.take(key) else { break }
        mode = .search(editor)
        show(search: editor.text, group: list.group)
      }
    case .form(var form):
      switch key {
      case .enter: save(form)
      case .escape, .control("c"):
        mode = .list
        message = "Nothing was changed"
      default: if form.take(key) { mode = .form(form) }
      }
    }
    return true
  }

  private func takeInList(_ key: Key) -> Bool {
    // The key may have been meant for the person who disappeared.
    let isUnsure = hasLostSelection
    hasLostSelection = false
    if isUnsure, [.character("d"), .delete, .character("e"), .enter].contains(key) { return true }
    message = ""
    switch key {
    case .character("q"), .control("c"), .control("d"): return false
    case .character("/"): mode = .search(LineEditor(list.search))
    case .character("a"): mode = .form(PersonForm(nil))
    case .character("e"), .enter: if let person = list.selected { mode = .form(PersonForm(person)) }
    case .character("d"), .delete: delete()
    case .character("u"), .control("_"): replay(redoing: false)
    case .character("r"), .control("r"): replay(redoing: true)
    case .tab: showGroup(after: 1)
    case .backTab: showGroup(after: -1)
    case .escape: show(search: "", group: nil)
    case .character("k"): list.move(by: -1)
    case .character("j"): list.move(by: 1)
    case .home: list.moveToStart()
    case .end: list.moveToEnd()
    case .character(let letter) where letter.isUppercase || letter == "#":
      if !list.move(toLetter: String(letter)) { message = "No names from \(letter) on" }
    default: _ = moves(key)
    }
    return true
  }

  /// Moves the selection. Returns false if the key does not move it.
  private func moves(_ key: Key) -> Bool {
    switch key {
    case .up: list.move(by: -1)
    case .down: list.move(by: 1)
    case .pageUp: list.move(by: -page)
    case .pageDown: list.move(by: page)
    default: return false
    }
    return true
  }

  private func show(search: String, group: Group?) {
    telling { try list.show(search: search, group: group) }
  }

  /// Shows the persons of another group. After the last group, and before the first, all persons are shown.
  private func showGroup(after distance: Int) {
    telling {
      let groups: [Group?] = [nil] + (try context.fetch(Group.self, sortedBy: Group.order))
      let index = groups.firstIndex { $0 === list.group } ?? 0
      try list.show(search: list.search, group: groups[(index + distance + groups.count) % groups.count])
    }
  }
}

/// Changes.
extension Browser {
  private func save(_ form: PersonForm) {
    var saved: Person?
    let isDone = change { context in
      let edit = try form.edit()
      // Another process may have deleted the person in the meantime.
      let person =
        try form.person.map { try context.existingObject(Person.self, with: $0.objectID) }
        ?? context.insert(Person.self)
      try edit.apply(to: person, in: context)
      saved = person
      return (form.person == nil ? "Add " : "Change ") + person.fullName
    }
    guard isDone else { return }
    // Not the person that the list changed last: the save may also have merged a change of another process.
    if let saved { list.select(saved) }
    mode = .list
  }

  private func delete() {
    guard let selected = list.selected else { return }
    let isDone = change { context in
      // A person whom another process has deleted cannot be deleted. Undoing both deletions would insert the person
      // twice.
      try context.refresh(selected, mergeChanges: false)
      let person = try context.existingObject(Person.self, with: selected.objectID)
      let name = person.fullName
      try context.delete(person)
      return "Delete " + name
    }
    if isDone { message += " — u undoes it" }
  }

  /// Changes the address book and saves. If this fails, all changes are undone.
  ///
  /// - Parameter body: Makes the changes, and returns a name for them.
  private func change(_ body: (ManagedObjectContext) throws -> String) -> Bool {
    telling {
      do {
        try list.selectingChanged {
          let name = try body(context)
          undoManager.setActionName(name)
          try context.save()
          message = name
        }
      } catch {
        if context.hasChanges { context.undo() }
        throw error
      }
    }
  }

  /// Undoes the last change, or redoes it.
  private func replay(redoing: Bool) {
    guard redoing ? undoManager.canRedo : undoManager.canUndo else {
      message = redoing ? "Nothing to redo" : "Nothing to undo"
      return
    }
    let name = redoing ? undoManager.redoActionName : undoManager.undoActionName
    telling {
      do {
        try list.selectingChanged {
          redoing ? context.redo() : context.undo()
          guard context.hasChanges else {
            message = "Another program has changed this: \(name)"
            return
          }
          try context.save()
          message = (redoing ? "Redone: " : "Undone: ") + name
        }
      } catch {
        redoing ? context.undo() : context.redo()
        throw error
      }
    }
  }

  private func merge(_ news: Result<SavedChanges, ManagedObjectError>) {
    let changes: SavedChanges
    do { changes = try news.get() } catch {
      // The last known data stay visible.
      message = "\(ContactsError(error))"
      isUnreadable = true
      return
    }
    if isUnreadable { message = "" }
    isUnreadable = false
    telling {
      let (selected, name) = (list.selected, list.selected?.fullName ?? "")
      try context.mergeChanges(from: changes)
      // If the group was deleted, shows all persons, because the group has no members.
      if let group = list.group, (try? context.existingObject(Group.self, with: group.objectID)) == nil {
        try list.show(search: list.search, group: nil)
      }
      if let failure = list.failure { throw failure }
      if case .form(var form) = mode, let person = form.person {
        form.isGone = (try? context.existingObject(Person.self, with: person.objectID)) == nil
        mode = .form(form)
      } else if selected != nil, list.selected !== selected {
        hasLostSelection = true
        message = "\(name) is no longer in the list"
      }
    }
  }

  /// Runs a function, and shows its error as the message. Returns false if it failed.
  @discardableResult
  private func telling(_ body: () throws -> Void) -> Bool {
    do {
      try ContactsError.explaining(body)
      return true
    } catch {
      message = "\(error)"
      // Refreshes the objects, so that the next attempt uses the changes saved by other processes.
      try? context.refreshAllObjects()
      return false
    }
  }
}
