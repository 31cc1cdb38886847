import ArgumentParser
import PropertyLists

/// The name of a format on the command line. Like libplist's tool, it accepts any text that begins with a known name.
struct FormatName: ExpressibleByArgument, Hashable {
  let format: PropertyListFormat
  let dialect: PropertyListWritingOptions.OpenStepDialect

  init(_ format: PropertyListFormat, dialect: PropertyListWritingOptions.OpenStepDialect = .openStep) {
    self.format = format
    self.dialect = dialect
  }

  private static let names: [(name: String, meaning: FormatName)] = [
    ("xml", FormatName(.xml)), ("bin", FormatName(.binary)), ("json", FormatName(.json)),
    ("openstep", FormatName(.openStep)), ("ostep", FormatName(.openStep)),
    ("gnustep", FormatName(.openStep, dialect: .gnustep)), ("strings", FormatName(.openStep, dialect: .strings)),
  ]

  init?(argument: String) {
    guard let found = Self.names.first(where: { argument.hasPrefix($0.name) }) else { return nil }
    self = found.meaning
  }

  var defaultValueDescription: String { Self.names.first { $0.meaning == self }?.name ?? format.rawValue }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  static var allValueStrings: [String] { ["xml", "binary", "json", "openstep", "gnustep", "strings"] }
}
