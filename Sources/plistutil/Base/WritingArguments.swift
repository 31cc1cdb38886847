import ArgumentParser
import FoundationEssentials
import PropertyLists

/// How values are written.
struct WritingArguments: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Sort the keys of dictionaries.")
  var sort = false

  @Flag(name: .shortAndLong, help: "Write JSON and OpenStep on one line.")
  var compact = false

  @Flag(
    name: [.customShort("C"), .customLong("plain")],
    help: """
      In JSON and OpenStep, write what they have no form for as text or a number, as libplist's tool does with -C. It \
      is not read back as what it was.
      """)
  var plain = false

  /// - Parameter coerces: whether what a format has no form for is written in a form that can be read back.
  func options(coerces: Bool, dialect: PropertyListWritingOptions.OpenStepDialect) -> PropertyListWritingOptions {
    PropertyListWritingOptions(
      sortsKeys: sort, depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse,
      coercion: plain ? .plain : coerces ? .reversible : .refuse, isCompact: compact, openStepDialect: dialect)
  }

  /// A value in a format.
  ///
  /// Apple's XML drops fractions of seconds in silence. Here they are dropped too, since most binary files could not be
  /// converted otherwise, but not in silence.
  func data(
    _ node: PropertyListDocument.Node, _ name: FormatName, coerces: Bool, report: inout FileReport
  ) throws(PropertyListError) -> Data {
    let exact = options(coerces: coerces, dialect: name.dialect)
    do throws(PropertyListError) {
      return try node.data(format: name.format, options: exact)
    } catch {
      guard error.kind == .notRepresentable else { throw error }
      var rounding = exact
      rounding.fractionalSeconds = .drop
      guard let data = try? node.data(format: name.format, options: rounding) else { throw error }
      report.note("\(report.name): warning: dates are cut to whole seconds: \(error.detail)")
      return data
    }
  }
}
