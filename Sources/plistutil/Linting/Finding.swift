import FoundationEssentials
import PropertyLists

/// Something about a file that its owner wants to know.
struct Finding: Sendable {
  enum Severity: String, Sendable {
    case error, warning
  }

  let severity: Severity
  /// Where it is and what.
  let fault: PropertyListError
  /// What machines know it by.
  let rule: String

  /// What is wrong.
  init(fault: PropertyListError) {
    severity = .error
    self.fault = fault
    rule = fault.code
  }

  /// What is allowed, but likely not meant.
  init(_ warning: Warning, _ fault: PropertyListError) {
    severity = .warning
    self.fault = fault
    rule = warning.rawValue
  }

  /// The rules by which there are warnings.
  enum Warning: String, CaseIterable, Sendable {
    case duplicateKeyKept = "duplicate-key-kept"
    case equivalentKeys = "equivalent-keys"
    case mixedLineEnds = "mixed-line-ends"
    case unusualEncoding = "unusual-encoding"
    case byteOrderMark = "byte-order-mark"
  }
}
