import Glibc
import Preferences

// Opens a domain, reads one value and ends: what preferences add to the start of a small program. Without a word, since
// to print takes a part of the time that is measured.

let preferences = UserPreferences(suiteName: "benchmark")
exit(preferences.integer(forKey: "setting5") == 5 ? 0 : 1)
