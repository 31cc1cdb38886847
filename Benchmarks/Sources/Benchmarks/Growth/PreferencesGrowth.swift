import Foundation
import Preferences
import PropertyLists

extension GrowthTable {
  /// Lines for operations on preferences. If there are files, each run has a separate folder.
  static var preferencesLines: [GrowthLine] {
    var lines: [GrowthLine] = []
    func inMemory(
      _ name: String, _ shape: String, filled: Bool = true, _ work: @escaping (UserPreferences, [String]) throws -> Void
    ) {
      lines.append(
        GrowthLine.renewing(
          "UserPreferences.\(name)", shape, base: 100,
          each: { size, _ in
            let keys = (0..<size).map { "key \($0)" }
            let values = filled ? Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) }) : [:]
            return {
              let preferences = UserPreferences(inMemory: values)
              return { try work(preferences, keys) }
            }
          }))
    }
    inMemory("init(inMemory:)", "many keys, in memory", filled: false) { _, keys in
      keep(UserPreferences(inMemory: Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })))
    }
    inMemory("set(_:forKey:)", "new keys, in memory", filled: false) { preferences, keys in
      for key in keys { preferences.set("value", forKey: key) }
    }
    inMemory("set(_:forKey:)", "all keys, in memory") { preferences, keys in
      for key in keys { preferences.set("value", forKey: key) }
    }
    inMemory("set(_:forKey:), read", "new keys in turn, in memory", filled: false) { preferences, keys in
      for key in keys {
        preferences.set("value", forKey: key)
        keep(preferences.string(forKey: key) as Any)
      }
    }
    inMemory("removeValue(forKey:)", "all keys, in memory") { preferences, keys in
      for key in keys { preferences.removeValue(forKey: key) }
    }
    inMemory("removeValue(forKey:)", "all keys from the last, in memory") { preferences, keys in
      for key in keys.reversed() { preferences.removeValue(forKey: key) }
    }
    inMemory("string(forKey:)", "all keys, in memory") { preferences, keys in
      for key in keys { keep(preferences.string(forKey: key) as Any) }
    }
    inMemory("effectiveValue(forKey:), isForced", "all keys, in memory") { preferences, keys in
      for key in keys {
        keep(preferences.effectiveValue(forKey: key) as Any)
        keep(preferences.isForced(forKey: key))
      }
    }
    inMemory("dictionaryRepresentation", "many keys, in memory") { preferences, _ in
      keep(preferences.dictionaryRepresentation())
    }
    inMemory("register(defaults:)", "many keys, in memory", filled: false) { preferences, keys in
      preferences.register(defaults: Dictionary(uniqueKeysWithValues: keys.map { ($0, PropertyList.string($0)) }))
    }
    inMemory("register(defaults:)", "one key in each call, in memory", filled: false) { preferences, keys in
      for key in keys { preferences.register(defaults: [key: PropertyList.string(key)]) }
    }
    inMemory("setVolatileDomain", "many keys, in memory", filled: false) { preferences, keys in
      preferences.setVolatileDomain(
        Dictionary(uniqueKeysWithValues: keys.map { ($0, PropertyList.string($0)) }), forName: "volatile")
      keep(preferences.volatileDomain(forName: "volatile"))
    }
    inMemory("setVolatileDomain", "many domains, in memory", filled: false) { preferences, keys in
      for key in keys { preferences.setVolatileDomain(["key": "value"], forName: key) }
    }
    inMemory("setPersistentDomain, persistentDomain", "many keys, in memory", filled: false) { preferences, keys in
      let domain = PersistentDomain("other")
      preferences.setPersistentDomain(
        domain, to: .init(uniqueKeysWithValues: keys.map { ($0, PropertyList.string($0)) }))
      keep(preferences.persistentDomain(domain) as Any)
    }
    inMemory("persistentDomain", "a read after each set, in memory", filled: false) { preferences, keys in
      let domain = PersistentDomain("other")
      for key in keys {
        preferences.set("value", forKey: key, in: domain)
        keep(preferences.value(forKey: key, in: domain) as Any)
      }
    }
    inMemory("observe", "an observer for each key, one change each, in memory") { preferences, keys in
      let observations = keys.map { key in
        preferences.observe(PreferenceKey<String?>(key, default: nil)) { value in keep(value as Any) }
      }
      for key in keys { preferences.set("new", forKey: key) }
      keep(observations)
    }
    inMemory("encode, decode", "a value of many elements, in memory", filled: false) { preferences, keys in
      try preferences.encode(keys, forKey: "keys")
      keep(try preferences.decode([String].self, forKey: "keys") as Any)
    }
    inMemory("archive, unarchive", "a value of many elements, in memory", filled: false) { preferences, keys in
      try preferences.archive(keys, forKey: "keys")
      keep(try preferences.unarchive([String].self, forKey: "keys") as Any)
    }

    func inFiles(
      _ name: String, _ shape: String, filled: Bool, _ work: @escaping (UserPreferences, [String]) throws -> Void
    ) {
      lines.append(
        GrowthLine.renewing(
          "UserPreferences.\(name)", shape, base: 100,
          each: { size, folder in
            let keys = (0..<size).map { "key \($0)" }
            let data = try GrowthShape.wide.value(size).data(format: .binary)
            return {
              let run = folder.appendingPathComponent(UUID().uuidString)
              try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
              if filled { try data.write(to: run.appendingPathComponent("domain.plist")) }
              return {
                let preferences = UserPreferences(suiteName: "domain", locations: PreferencesLocations(folder: run))
                try work(preferences, keys)
              }
            }
          }))
    }
    inFiles("init", "a file of many keys, one read", filled: true) { preferences, _ in
      keep(preferences.integer(forKey: "key 0"))
    }
    inFiles("set(_:forKey:), synchronize", "new keys, one save", filled: false) { preferences, keys in
      for key in keys { preferences.set("value", forKey: key) }
      try preferences.synchronize()
    }
    inFiles("removeValue(forKey:), synchronize", "all keys, one save", filled: true) { preferences, keys in
      for key in keys { preferences.removeValue(forKey: key) }
      try preferences.synchronize()
    }
    inFiles("update", "many keys", filled: true) { preferences, keys in
      try preferences.update { values in for key in keys { values[key] = "new" } }
    }
    inFiles("update", "keys of an update, removed in turn", filled: true) { preferences, keys in
      try preferences.update { values in for key in keys { values[key] = nil } }
    }
    inFiles("update", "keys of an update, read", filled: true) { preferences, _ in
      try preferences.update { values in for key in values.keys { keep(values[key] as Any) } }
    }
    lines.append(
      GrowthLine("PreferencesFile.values", "a file of many keys", base: 100) { size, folder in
        let url = folder.appendingPathComponent("domain.plist")
        try GrowthShape.wide.value(size).write(to: url, format: .binary)
        return { keep(try PreferencesFile(at: url).values() as Any) }
      })
    lines.append(
      GrowthLine("PreferencesFile.update", "a file of many keys", base: 100) { size, folder in
        let url = folder.appendingPathComponent("domain.plist")
        try GrowthShape.wide.value(size).write(to: url, format: .binary)
        return { try PreferencesFile(at: url).update { values in values?["key 0"] = "new" } }
      })
    lines.append(
      GrowthLine("PreferencesLocations.domainNames", "many files", base: 100) { size, folder in
        for number in 0..<size { try Data().write(to: folder.appendingPathComponent("com.example.n\(number).plist")) }
        let locations = PreferencesLocations(folder: folder)
        return { keep(locations.domainNames()) }
      })
    return lines
  }
}
