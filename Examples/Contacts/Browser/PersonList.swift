import ManagedObjects

/// The list of persons, in sections by first letter, with a selected person.
///
/// The fetched results controller updates the list for all changes, including those of other processes.
final class PersonList {
  private let context: ManagedObjectContext
  private var results: FetchedResultsController<Person>
  /// The text that the name or the address must contain.
  private(set) var search = ""
  /// The group that persons must belong to; nil for all persons.
  private(set) var group: Group?
  private(set) var selected: Person?
  /// The index of the selected person in the list.
  private var offset = 0
  /// The number of lines scrolled off the top.
  private var top = 0
  /// The index of a person that the last change has added or changed; nil if there is none.
  private var changed: Int?

  init(_ context: ManagedObjectContext) throws {
    self.context = context
    results = try Self.results(context, "", nil)
    try show(search: "", group: nil)
  }

  /// Shows other persons. Keeps the selection if possible.
  func show(search: String, group: Group?) throws {
    results = try Self.results(context, search, group)
    results.delegate = self
    try results.performFetch()
    self.search = search
    self.group = group
    findSelection()
  }

  private static func results(
    _ context: ManagedObjectContext, _ search: String, _ group: Group?
  ) throws -> FetchedResultsController<Person> {
    var conditions = [try ManagedPredicate.parts(in: search)]
    if let group { conditions.append(try ManagedPredicate(format: "ANY groups == %@", group)) }
    var request = try FetchRequest(Person.self, where: .and(conditions))
    request.sortDescriptors = Person.order
    // Only visible persons are read.
    request.fetchBatchSize = 100
    let results = try FetchedResultsController(Person.self, request, in: context) { $0.section }
    results.sectionIndexTitle = { $0 }
    return results
  }

  /// The number of persons.
  var count: Int { results.count }

  /// The error because of which the list is out of date; nil if it is up to date.
  var failure: ManagedObjectError? { results.failure }
}

extension PersonList: FetchedResultsControllerDelegate {
  func controller(
    _ controller: FetchedResultsController<Person>, didChangeContentWith changes: FetchedResultsChanges
  ) {
    changed = changes.objects.compactMap(\.newOffset).first
    findSelection()
  }
}

/// Selection.
extension PersonList {
  /// Updates the index of the selected person. If that person is no longer in the list, selects the person who is now
  /// at the old index.
  private func findSelection() {
    if let selected, let path = results.indexPath(of: selected) {
      offset = results.sections.prefix(path.section).reduce(path.item) { $0 + $1.count }
    } else {
      select(offset)
    }
  }

  func select(_ person: Person) {
    selected = person
    findSelection()
  }

  private func select(_ index: Int) {
    offset = max(0, min(index, results.count - 1))
    selected = results.object(at: offset)
  }

  func move(by distance: Int) { select(offset + distance) }

  func moveToStart() { select(0) }

  func moveToEnd() { select(results.count - 1) }

  /// Selects the first person of a letter, or of the next letter that has persons. Returns false if there are none.
  func move(toLetter letter: String) -> Bool {
    var index = 0
    for section in results.sections {
      if section.name >= letter {
        select(index)
        return true
      }
      index += section.count
    }
    return false
  }

  /// Runs a function, and selects the person that it changed.
  func selectingChanged(_ body: () throws -> Void) rethrows {
    changed = nil
    try body()
    if let changed { select(changed) }
  }
}

/// Visible entries.
extension PersonList {
  enum Entry {
    case letter(String)
    case person(Person, isSelected: Bool)
  }

  /// The letters that have persons. `isSelected` is true for the letter of the selected person.
  var letters: [(title: String, isSelected: Bool)] {
    let own = selected.flatMap { results.indexPath(of: $0)?.section }
    return results.sections.enumerated().map { ($1.name, $0 == own) }
  }

  /// Returns the visible entries in a number of lines, scrolled so that the selected person is visible.
  ///
  /// Only these persons are read.
  func entries(lines: Int) -> [Entry] {
    let sections = results.sections
    scroll(sections.map(\.count), lines)
    var entries: [Entry] = []
    var line = 0
    var sectionStart = 0
    for section in sections where entries.count < lines {
      if line >= top { entries.append(.letter(section.name)) }
      let first = max(0, top - line - 1)
      let last = min(section.count, top + lines - line - 1)
      for item in first..<max(first, last) {
        guard let person = section[item] else { continue }
        entries.append(.person(person, isSelected: sectionStart + item == offset))
      }
      line += section.count + 1
      sectionStart += section.count
    }
    return entries
  }

  /// Scrolls so that the selected person is visible.
  ///
  /// - Parameter counts: The number of persons in each section.
  private func scroll(_ counts: [Int], _ lines: Int) {
    var rest = offset
    var line = 0
    var isFirst = false
    for count in counts {
      if rest < count {
        isFirst = rest == 0
        line += rest + 1
        break
      }
      rest -= count
      line += count + 1
    }
    // If the first person of a section is selected, the letter is visible too.
    top = min(top, isFirst ? line - 1 : line)
    top = max(top, line - lines + 1)
    top = max(0, min(top, counts.reduce(0) { $0 + $1 + 1 } - lines))
  }
}
