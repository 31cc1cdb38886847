/// The defects of an input, in the order that a reader found them. A reader stops when the log is full. If there is
/// room for more than one defect, the reader recovers from errors where possible.
package struct DefectLog {
  /// The maximum number of defects, at least 1.
  package let limit: Int
  package private(set) var defects: [PropertyListError] = []
  private let isKept: Bool

  package init(limit: Int) { self.init(limit: max(limit, 1), isKept: true) }

  private init(limit: Int, isKept: Bool) {
    self.limit = limit
    self.isKept = isKept
  }

  /// A log for a reader that stops at the first defect.
  package static var first: DefectLog { DefectLog(limit: 1) }

  /// A log that discards all defects.
  package static var none: DefectLog { DefectLog(limit: .max, isKept: false) }

  var isFull: Bool { defects.count >= limit }

  package mutating func add(_ defect: PropertyListError) {
    guard isKept, !isFull else { return }
    defects.append(defect)
  }

  /// Adds a defect. If the log is now full, throws the defect as an error.
  package mutating func report(_ defect: PropertyListError) throws(PropertyListError) {
    add(defect)
    if isFull { throw defect }
  }
}
