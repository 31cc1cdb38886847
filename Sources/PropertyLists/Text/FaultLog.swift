/// What is wrong with an input, in the order in which its reader finds it. A reader gives up when the log is full; with
/// room for more than one fault, it mends what it can and goes on.
package struct FaultLog {
  /// How many faults there is room for, at least 1.
  package let limit: Int
  package private(set) var faults: [PropertyListError] = []
  private let isKept: Bool

  package init(limit: Int) { self.init(limit: max(limit, 1), isKept: true) }

  private init(limit: Int, isKept: Bool) {
    self.limit = limit
    self.isKept = isKept
  }

  /// The log of a reader that gives up at the first fault.
  package static var first: FaultLog { FaultLog(limit: 1) }

  /// For readers whose faults nobody wants to know.
  package static var none: FaultLog { FaultLog(limit: .max, isKept: false) }

  var isFull: Bool { faults.count >= limit }

  package mutating func add(_ fault: PropertyListError) {
    guard isKept, !isFull else { return }
    faults.append(fault)
  }

  /// Adds a fault, and throws it if there is room for no more.
  package mutating func report(_ fault: PropertyListError) throws(PropertyListError) {
    add(fault)
    if isFull { throw fault }
  }
}
