import FoundationEssentials
import PropertyLists

/// JSON as `-r` has it: on many lines, with spaces around colons, the keys sorted.
struct ReadableJSON: TextForm {
  let indent = 2
  let sortsKeys = true
  let separator = ",\n"
  let terminator = ""
  let lineEnd = "\n"
  let options: PropertyListWritingOptions

  func opening(_ container: PropertyList) -> String { container.kind == .array ? "[\n" : "{\n" }
  func closing(_ container: PropertyList, isRoot: Bool) -> String { container.kind == .array ? "]" : "}" }
  func entry(index: Int) -> String { "" }

  func entry(key: String) -> String { "\((try? scalar(.string(key))) ?? "") : " }

  /// As the library writes it. What JSON has no form for was refused before.
  func scalar(_ value: PropertyList) throws(PropertyListError) -> String {
    String(decoding: try value.data(format: .json, options: options).dropLast(), as: UTF8.self)
  }
}
