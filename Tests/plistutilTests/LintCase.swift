import Foundation
import Testing

/// A text with defects, and the output of `lint`.
struct LintCase: CustomTestStringConvertible, Sendable {
  let name: String
  let input: Data
  /// `F` stands for the name of the file.
  let report: String

  /// A case with its complete report.
  init(_ name: String, isLatin1: Bool = false, endsLine: Bool = true, _ text: String, report: String) {
    self.name = name
    let text = endsLine ? text + "\n" : text
    input = (isLatin1 ? text.data(using: .isoLatin1) : nil) ?? Data(text.utf8)
    self.report = report + "\n"
  }

  /// A case with the input, `--`, and a line with position and message for each defect. The report shows each with the
  /// line of the input and a mark below the column.
  init(_ name: String, endsLine: Bool = true, _ text: String) {
    let parts = text.split(separator: "\n--\n")
    precondition(parts.count == 2, "no report in \(name)")
    let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    let reports = parts[1].split(separator: "\n").map { defect in
      let fields = defect.split(separator: ":", maxSplits: 2)
      let (line, column) = (Int(fields[0]) ?? 0, Int(fields[1]) ?? 0)
      precondition(lines.indices.contains(line - 1) && column > 0, "no position \(fields[0]):\(fields[1]) in \(name)")
      return """
        F:\(line):\(column): error:\(fields[2])
          \(lines[line - 1])
          \(String(repeating: " ", count: column - 1))^
        """
    }
    self.init(name, endsLine: endsLine, String(parts[0]), report: reports.joined(separator: "\n"))
  }

  var testDescription: String { name }
}
