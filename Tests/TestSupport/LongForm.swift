import Foundation

/// The long form of tests, with larger inputs. `PLIST_LONG=1` turns it on, `PLIST_LONG=all` selects the longest form,
/// which takes hours.
public enum LongForm {
  private static let wish = ProcessInfo.processInfo.environment["PLIST_LONG"]
  public static let isWanted = wish != nil

  /// Returns the size for the longest form, for the long form, or for the short form.
  public static func size(all: Int, _ long: Int, or short: Int) -> Int { wish == "all" ? all : size(long, or: short) }

  /// Returns the size for the long form, or for the short form.
  public static func size(_ long: Int, or short: Int) -> Int { isWanted ? long : short }

  /// Returns all cases for the long form, or every `step`th one for the short form.
  public static func cases<Case>(_ all: [Case], every step: Int) -> [Case] {
    isWanted ? all : stride(from: 0, to: all.count, by: step).map { all[$0] }
  }
}
