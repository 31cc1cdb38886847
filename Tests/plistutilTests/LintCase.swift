import Foundation
import Testing

/// A text that is wrong, and what `lint` says of it.
struct LintCase: CustomTestStringConvertible, Sendable {
  let name: String
  let input: Data
  /// With `F` for the name of the file.
  let report: String
  let status: Int32

  init(_ name: String, isLatin1: Bool = false, _ text: String, report: String, status: Int32 = 3) {
    self.name = name
    input = (isLatin1 ? text.data(using: .isoLatin1) : nil) ?? Data(text.utf8)
    self.report = report
    self.status = status
  }

  var testDescription: String { name }
}
