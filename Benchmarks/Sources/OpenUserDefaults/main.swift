import Foundation

// The same as OpenPreferences, with Foundation.

let defaults = UserDefaults(suiteName: "benchmark")
exit(defaults?.integer(forKey: "setting5") == 5 ? 0 : 1)
