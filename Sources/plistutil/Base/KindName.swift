import ArgumentParser
import PropertyLists

/// A kind of value as it is named on the command line: as the options that take values are called, as Apple's tool
/// calls it, or shorter.
struct KindName: ExpressibleByArgument, Hashable {
  let kind: PropertyList.Kind

  init(_ kind: PropertyList.Kind) { self.kind = kind }

  init?(argument: String) {
    switch argument.lowercased() {
    case "boolean": kind = .boolean
    case "int": kind = .integer
    case "float", "double": kind = .real
    case "dict": kind = .dictionary
    default:
      guard let kind = PropertyList.Kind.allCases.first(where: { KindName($0).name == argument }) else { return nil }
      self.kind = kind
    }
  }

  var name: String { kind == .boolean ? "bool" : kind.rawValue }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  /// For help.
  static let list = "string, integer (int), real (float), bool, date, data, array, dictionary (dict), uid or null"

  static var allValueStrings: [String] { PropertyList.Kind.allCases.map { KindName($0).name } }
}

/// The kind that a value has to be of.
struct ExpectedKind: ParsableArguments {
  @Option(help: ArgumentHelp("It is an error if the value is of another kind: \(KindName.list).", valueName: "kind"))
  var expect: KindName?

  func check(_ node: PropertyListDocument.Node, at path: PropertyListKeyPath) throws(PropertyListError) {
    guard let expect, node.kind != expect.kind else { return }
    throw PropertyListError(
      .wrongKind, "a value of kind \(KindName(node.kind).name), not \(expect.name)", keyPath: path)
  }
}
