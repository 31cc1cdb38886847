import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// Completes key paths with the keys and indices in the files on the command line.
struct KeyPathCompletion {
  /// The syntax of a path.
  enum Spelling {
    /// The syntax of plistutil's verbs: dots, slashes or colons between the components. The first character of the path
    /// selects the separator.
    case tool
    /// The syntax of `--nodepath`: components after slashes; the first slash may be missing.
    case slashes
    /// The syntax of Apple's `plutil`.
    case plutil
  }

  private let spelling: Spelling

  init(_ spelling: Spelling) { self.spelling = spelling }

  /// The greatest number of candidates.
  private static let greatestCount = 1000
  /// The size limits in bytes for files on the command line, and for files in the current folder. Larger files would
  /// make completion too slow.
  private static let greatestSizes = (named: 16 << 20, found: 1 << 20)

  func answer(to text: String, _ line: CommandLineWords) -> CompletionAnswer {
    answer(to: text, in: Self.documents(on: line))
  }

  func answer(to text: String, in documents: [PropertyListDocument]) -> CompletionAnswer {
    let (separator, syntax) = syntax(of: text)
    var answer = CompletionAnswer(mayGoOn: true)
    var known: Set<String> = []
    for document in documents {
      let (prefix, parent) = parent(of: text, separator, syntax, in: document)
      forEachChild(of: parent) { component, node in
        guard answer.candidates.count < Self.greatestCount else { return }
        let candidate = prefix + spelled(component, syntax, isFirst: prefix.isEmpty)
        guard candidate.utf8.starts(with: text.utf8), known.insert(candidate).inserted else { return }
        answer.candidates.append(.init(text: candidate, help: KindName(node.kind).name))
      }
    }
    // A scalar ends the path.
    if answer.candidates.count == 1, !["array", "dictionary"].contains(answer.candidates[0].help) {
      answer.mayGoOn = false
    }
    return answer
  }

  private func syntax(of text: String) -> (Unicode.Scalar, PropertyListKeyPath.Syntax) {
    switch (spelling, text.unicodeScalars.first) {
    case (.slashes, _), (.tool, "/"): ("/", .slashes)
    case (.tool, ":"): (":", .colons)
    default: (".", .dots)
    }
  }

  /// Returns the text before the last component of a path, and the container whose keys or indices can complete that
  /// component. Tries each separator from the end, because a separator can be part of a key.
  private func parent(
    of text: String, _ separator: Unicode.Scalar, _ syntax: PropertyListKeyPath.Syntax,
    in document: PropertyListDocument
  ) -> (String, PropertyListDocument.Node) {
    let scalars = text.unicodeScalars
    var end = scalars.endIndex
    while let separatorIndex = scalars[..<end].lastIndex(of: separator) {
      end = separatorIndex
      let isEscaped = separatorIndex > scalars.startIndex && scalars[scalars.index(before: separatorIndex)] == "\\"
      if !isEscaped, let node = value(at: String(text[..<separatorIndex]), syntax, in: document) {
        return (String(text[...separatorIndex]), node)
      }
    }
    return ("", document.root)
  }

  private func value(
    at text: String, _ syntax: PropertyListKeyPath.Syntax, in document: PropertyListDocument
  ) -> PropertyListDocument.Node? {
    if case .plutil = spelling { return try? PlutilKeyPath(text).value(in: document.root) }
    return try? document.root.descendant(at: PropertyListKeyPath(text, syntax: syntax))
  }

  private func spelled(
    _ component: PropertyListKeyPath.Component, _ syntax: PropertyListKeyPath.Syntax, isFirst: Bool
  ) -> String {
    if case .plutil = spelling { return component.text.replacing(".", with: "\\.") }
    if isFirst, syntax == .dots { return PropertyListKeyPath([component]).text(syntax) }
    // A key has another spelling at the beginning of a path with dots than after a separator. To get the latter, writes
    // a path of the index 0 and the component, and removes the text of the index.
    let text = PropertyListKeyPath([.index(0), component]).text(syntax)
    return String(text.unicodeScalars.dropFirst(syntax == .dots ? 2 : 3))
  }

  private func forEachChild(
    of node: PropertyListDocument.Node,
    _ body: (PropertyListKeyPath.Component, PropertyListDocument.Node) -> Void
  ) {
    for position in 0..<node.count {
      if node.kind == .array {
        guard position < Self.greatestCount, let child = try? node.child(at: position) else { return }
        body(.index(position), child)
      } else {
        guard let (key, child) = try? node.entry(at: position) else { return }
        body(.key(key), child)
      }
    }
  }

  /// Returns the property lists on the command line, or else those in the current folder.
  private static func documents(on line: CommandLineWords) -> [PropertyListDocument] {
    let named = line.others.filter { FileSystem.sizeOfRegularFile($0) != nil }
    if !named.isEmpty { return named.prefix(8).compactMap { document($0, greatestSize: greatestSizes.named) } }
    let found = FileSystem.names(in: ".").filter { $0.hasSuffix(".plist") || $0.hasSuffix(".strings") }
    return found.sorted().prefix(8).compactMap { document($0, greatestSize: greatestSizes.found) }
  }

  private static func document(_ path: String, greatestSize: Int) -> PropertyListDocument? {
    guard let size = FileSystem.sizeOfRegularFile(path), size <= greatestSize else { return nil }
    let options = PropertyListReadingOptions(duplicateKeys: .keepLast)
    return try? PropertyListDocument(Input(path).mappedData(), options: options)
  }
}
