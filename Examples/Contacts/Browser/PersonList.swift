import ManagedObjects

/// The persons that are shown, in sections by the first letter, and the one that is selected.
///
/// The controller keeps them up to date, whoever changes the book.
final class PersonList {
  private let context: ManagedObjectContext
  private var results: FetchedResultsController<Person>
  /// What a part of the name or the address has to be.
  private(set) var search = ""
  /// The group that persons have to be in; nil for all.
  private(set) var group: Group?
  private(set) var selected: Person?
  /// The number of persons before the one that is selected.
  private var offset = 0
  /// The number of lines that are scrolled away.
  private var top = 0
  /// The index of a person that changed last; nil if all that changed are gone.
  private var changed: Int?

  init(_ context: ManagedObjectContext) throws {
    self.context = context
    results = try Self.results(context, "", nil)
    try show(search: "", group: nil)
  }

  /// Shows other persons. Whoever is selected stays so, if possible.
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
    // Only those who are seen are read.
    request.fetchBatchSize = 100
    let results = try FetchedResultsController(Person.self, request, in: context) { $0.section }
    results.sectionIndexTitle = { $0 }
    return results
  }

  /// The number of persons.
  var count: Int { results.count }

  /// Why the list is not as the book is; nil if it is.
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

/// Selecting.
extension PersonList {
  /// Finds the person that is selected again, or selects who is at that index now.
  private func findSelection() {
    if let selected, let path = results.indexPath(of: selected) {
      offset = results.sections.prefix(path.section).reduce(path.item) { $0 + $1.count }
    } else {
      select(offset)
    }
  }

  private func select(_ index: Int) {
    offset = max(0, min(index, results.count - 1))
    selected = results.object(at: offset)
  }

  func move(by distance: Int) { select(offset + distance) }

  func moveToStart() { select(0) }

  func moveToEnd() { select(results.count - 1) }

  /// Selects the first person of a letter, or of the next letter that has any. Returns false if there is none.
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

  /// Selects a person that the function changes.
  func selectingChanged(_ body: () throws -> Void) rethrows {
    changed = nil
    try body()
    if let changed { select(changed) }
  }
}

/// Showing.
extension PersonList {
  enum Entry {
    case letter(String)
    case person(Person, isSelected: Bool)
  }

  /// The letters that there are persons of, and whether it is that of the selection.
  var letters: [(title: String, isSelected: Bool)] {
    let own = selected.flatMap { results.indexPath(of: $0)?.section }
    return results.sections.enumerated().map { ($1.name, $0 == own) }
  }

  /// What is seen in a number of lines, scrolled so that the selection is.
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

  /// - Parameter counts: the numbers of persons in the sections.
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
    // The letter is seen with the first one of a section.
    top = min(top, isFirst ? line - 1 : line)
    top = max(top, line - lines + 1)
    top = max(0, min(top, counts.reduce(0) { $0 + $1 + 1 } - lines))
  }
}
