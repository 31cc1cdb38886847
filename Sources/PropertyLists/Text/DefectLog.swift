/// What is wrong with an input, in the order in which its reader finds it. A reader gives up when the log is full; with
/// room for more than one defect, it mends what it can and goes on.
package struct DefectLog {
  /// How many defects there is room for, at least 1.
  package let limit: Int
  package private(set) var defects: [PropertyListError] = []
  private let isKept: Bool

  package init(limit: Int) { self.init(limit: max(limit, 1), isKept: true) }

  private init(limit: Int, isKept: Bool) {
    self.limit = limit
    self.isKept = isKept
  }

  /// The log of a reader that gives up at the first defect.
  package static var first: DefectLog { DefectLog(limit: 1) }

  /// For readers whose defects nobody wants to know.
  package static var none: DefectLog { DefectLog(limit: .max, isKept: false) }

  var isFull: Bool { defects.count >= limit }

  package mutating func add(_ defect: PropertyListError) {
    guard isKept, !isFull else { return }
    defects.append(defect)
  }

  /// Adds a defect, and throws it if there is room for no more.
  package mutating func report(_ defect: PropertyListError) throws(PropertyListError) {
    add(defect)
    if isFull { throw defect }
  }
}
