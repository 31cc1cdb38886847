import Foundation

/// The long form of tests: larger inputs that prove the same with more room for doubt. `PLIST_LONG=1` asks for it, and
/// `PLIST_LONG=all` for a form that takes hours.
public enum LongForm {
  private static let wish = ProcessInfo.processInfo.environment["PLIST_LONG"]
  public static let isWanted = wish != nil

  /// A size in the longest form, in the long form, and otherwise.
  public static func size(all: Int, _ long: Int, or short: Int) -> Int { wish == "all" ? all : size(long, or: short) }

  /// A size in the long form, and otherwise.
  public static func size(_ long: Int, or short: Int) -> Int { isWanted ? long : short }
}
