import Glibc
import Preferences

// Opens a domain, reads one value and exits: measures the time that preferences add to the start of a small program. It
// prints nothing, because printing takes a part of the measured time.

let preferences = UserPreferences(suiteName: "benchmark")
exit(preferences.integer(forKey: "setting5") == 5 ? 0 : 1)
