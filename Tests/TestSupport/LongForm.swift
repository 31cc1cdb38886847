import Foundation

/// The long form of tests: larger inputs that prove the same with more room for doubt. `PLIST_LONG=1` asks for it.
public enum LongForm {
  public static let isWanted = ProcessInfo.processInfo.environment["PLIST_LONG"] != nil

  /// A size in the long form, and otherwise.
  public static func size(_ long: Int, or short: Int) -> Int { isWanted ? long : short }
}
