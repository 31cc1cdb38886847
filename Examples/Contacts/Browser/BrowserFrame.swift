import ManagedObjects
import ToolSupport

/// A frame of the browser: the list with its index, the selected person, and the available commands.
@MainActor
struct BrowserFrame {
  private(set) var lines: [Line] = []
  /// The position of the text cursor; nil if no text is being edited.
  private(set) var cursor: (line: Int, column: Int)?
  /// The number of lines of the list.
  let listHeight: Int

  private let browser: Browser
  private let columns: Int
  private let height: Int

  /// The width of the list without its index. If the terminal is wide enough, the person is shown next to the list.
  private var listWidth: Int { isWide ? min(44, (columns - 6) / 2) : columns - 3 }
  private var isWide: Bool { columns >= Self.wide }
  /// The minimum number of columns for showing a person next to the list.
  private static let wide = 68

  init(_ browser: Browser, lines height: Int, columns: Int) {
    self.browser = browser
    self.columns = columns
    self.height = height
    let inner = max(1, height - 3)
    // On a narrow terminal the person is shown below the list, if there are enough lines.
    let below = columns < Self.wide && height >= 18 ? 8 : 0
    listHeight = inner - below
    lines.append(title)
    if !isWide, case .form(let form) = browser.mode {
      let form = formLines(form, width: columns, line: 1, column: 0, height: inner)
      lines += form
    } else {
      addList(inner)
    }
    let status = statusLine()
    lines += [status, help]
    lines = Array(lines.prefix(height))
  }

  private var title: Line {
    var text = " \(browser.title)   \(browser.list.count)"
    if let group = browser.list.group { text += " in \(group.name)" }
    if !browser.list.search.isEmpty { text += " with \"\(browser.list.search)\"" }
    return .of(text, width: columns, .inverse)
  }

  private mutating func addList(_ inner: Int) {
    let entries = browser.list.entries(lines: listHeight)
    let index = indexTitles(listHeight)
    let width = listWidth
    var person: [Line] = []
    if isWide {
      let rest = columns - width - 6
      if case .form(let form) = browser.mode {
        person = formLines(form, width: rest, line: 1, column: width + 6, height: inner)
      } else {
        person = personLines(width: rest)
      }
    }
    for row in 0..<listHeight {
      var line = Line()
      switch row < entries.count ? entries[row] : nil {
      case .letter(let letter)?: line.add(letter, width: width, .dim)
      case .person(let person, let isSelected)?:
        line.add((isSelected ? "> " : "  ") + person.fullName, width: width, isSelected ? .inverse : .plain)
      case nil: line.add(row == 0 && entries.isEmpty ? emptyText : "", width: width, .dim)
      }
      let title = row < index.count ? index[row] : ("", false)
      line.add(" ", width: 1)
      line.add(title.0, width: 2, title.1 ? .bold : .dim)
      if isWide {
        line.add(" │ ", width: 3, .dim)
        if row < person.count { line.add(person[row]) } else { line.add("", width: columns - line.width) }
      }
      lines.append(line)
    }
    guard listHeight < inner else { return }
    lines.append(.of(String(repeating: "─", count: columns), width: columns, .dim))
    let details = personLines(width: columns)
    for row in 0..<(inner - listHeight - 1) {
      lines.append(row < details.count ? details[row] : .of("", width: columns))
    }
  }

  private var emptyText: String {
    browser.list.search.isEmpty && browser.list.group == nil ? "no people yet: press a to add one" : "no people found"
  }

  /// Returns the letters of the index. If there are more letters than lines, it contains every second one, every third
  /// one, and so on.
  private func indexTitles(_ room: Int) -> [(String, Bool)] {
    let letters = browser.list.letters
    let step = max(1, (letters.count + room - 1) / room)
    return stride(from: 0, to: letters.count, by: step).map { first in
      let group = letters[first..<min(first + step, letters.count)]
      return group.first { $0.isSelected } ?? letters[first]
    }
  }

  private func personLines(width: Int) -> [Line] {
    guard let person = browser.list.selected else { return [] }
    var lines: [Line] = []
    for (index, text) in person.details.flatMap({ $0.split(separator: "\n", omittingEmptySubsequences: false) })
      .enumerated()
    {
      lines.append(.of(String(text), width: width, index == 0 ? .bold : .plain))
    }
    return lines
  }

  /// Returns the lines of a form, and sets ``cursor``.
  ///
  /// - Parameters:
  ///   - line: The first line of the form on the terminal.
  ///   - column: The first column of the form on the terminal.
  private mutating func formLines(_ form: PersonForm, width: Int, line: Int, column: Int, height: Int) -> [Line] {
    let labelWidth = min(12, width / 2)
    let title = form.person == nil ? "Add a person" : form.isGone ? form.name + " was deleted" : "Change " + form.name
    var lines = [Line.of(title, width: width, .bold)]
    // Scrolls so that the current field is visible even on a very low terminal.
    let first = max(0, min(form.current - height + 2, form.fields.count - 1))
    for (index, field) in form.fields.enumerated().dropFirst(first) {
      var row = Line()
      let isCurrent = index == form.current
      row.add(field.label, width: labelWidth, isCurrent ? .bold : .dim)
      if isCurrent {
        let (text, cursorColumn) = field.editor.window(width: width - labelWidth)
        cursor = (line + lines.count, column + labelWidth + cursorColumn)
        row.add(text, width: width - labelWidth, .underlined)
      } else if field.editor.text.isEmpty {
        row.add(field.hint, width: width - labelWidth, .dim)
      } else {
        row.add(field.editor.text, width: width - labelWidth)
      }
      lines.append(row)
    }
    lines.append(.of("", width: width))
    lines.append(.of(form.fields[form.current].hint, width: width, .dim))
    lines = Array(lines.prefix(height))
    while lines.count < height { lines.append(.of("", width: width)) }
    return lines
  }

  private mutating func statusLine() -> Line {
    guard case .search(let editor) = browser.mode else { return .of(browser.message, width: columns) }
    let (text, cursorColumn) = editor.window(width: columns - 1)
    cursor = (height - 2, 1 + cursorColumn)
    return .of("/" + text, width: columns)
  }

  private var help: Line {
    let text =
      switch browser.mode {
      case .list: "/ search  a add  e edit  d delete  u undo  r redo  Tab group  A-Z letter  q quit"
      case .search: "Enter keep  Esc show all  ↑↓ move"
      case .form: "Enter save  Esc cancel  Tab next field"
      }
    return .of(text, width: columns, .dim)
  }
}
