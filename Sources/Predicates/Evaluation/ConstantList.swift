/// A constant list as a hash table, for lookups of values and objects.
///
/// It is created once for a list, so that the time of a lookup does not depend on the length of the list.
struct ConstantList: Sendable {
  /// The rules for comparing strings; nil if strings are compared without options.
  private let rules: TextRules?
  private var values: Set<Member> = []
  /// The folded forms of the strings, if there are ``rules``. Without rules, the strings are in ``values``.
  private var foldedTexts: Set<[UInt32]> = []
  private var objects: Set<RowKey> = []

  /// A value that is compared by the rules of predicates, so that numbers of different types can be equal.
  private struct Member: Hashable {
    private let value: AttributeValue

    init(_ value: AttributeValue) { self.value = value.canonical }

    static func == (first: Member, second: Member) -> Bool { first.value.isEqual(to: second.value) }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
  }

  /// Creates the hash table. Collections, dictionaries and opaque objects are left out, because no value or object
  /// equals them.
  init(_ elements: some Sequence<PredicateConstant>, _ options: PredicateOptions) {
    let rules = options.isEmpty ? nil : TextRules(options)
    self.rules = rules
    for element in elements {
      switch element {
      case .object(let key): objects.insert(key)
      case .value(.string(let text)):
        if let rules { foldedTexts.insert(rules.foldedUnits(of: text)) } else { values.insert(Member(.string(text))) }
      case .value(let value): values.insert(Member(value))
      case .array, .set, .dictionary, .opaque: break
      }
    }
  }

  func contains(_ value: AttributeValue) -> Bool {
    if let rules, case .string(let text) = value { return foldedTexts.contains(rules.foldedUnits(of: text)) }
    return values.contains(Member(value))
  }

  func contains(_ object: RowKey) -> Bool { objects.contains(object) }
}
