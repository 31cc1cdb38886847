import ArgumentParser
import PropertyLists

/// The name of a kind of value on the command line: the name of the option that takes such values, the name that
/// Apple's tool uses, or a short form.
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

  /// The list of names in help texts.
  static let list = "string, integer (int), real (float), bool, date, data, array, dictionary (dict), uid or null"

  static var allValueStrings: [String] { PropertyList.Kind.allCases.map { KindName($0).name } }
}

/// An option for the kind that a value must have.
struct ExpectedKind: ParsableArguments {
  @Option(help: ArgumentHelp("Fail unless the value is of this kind: \(KindName.list).", valueName: "kind"))
  var expect: KindName?

  func check(_ node: PropertyListDocument.Node, at path: PropertyListKeyPath) throws(PropertyListError) {
    guard let expect, node.kind != expect.kind else { return }
    throw PropertyListError(
      .wrongKind, "expected \(expect.name), found \(KindName(node.kind).name)", keyPath: path)
  }
}
