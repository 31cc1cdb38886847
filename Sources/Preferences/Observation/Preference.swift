internal import Observation
internal import Synchronization

/// A property whose value is a preference. It is observed like a property of an `@Observable` type.
///
/// ```swift
/// @Observable final class EditorModel {
///   @ObservationIgnored @Preference(Keys.fontSize) var fontSize
///   @ObservationIgnored @Preference("theme") var theme = Theme.light
///   @ObservationIgnored @Preference("nickname") var nickname: String?
/// }
/// ```
///
/// With a `$` before its name, the property is the preference itself: `$theme.removeValue()` restores the default, and
/// `$theme.values` is the sequence of its values.
///
/// When the effective value changes, everything that depends on the property is invalidated, such as a SwiftUI view, or
/// a call of `withObservationTracking` that has read it. This happens on the thread that made the change, or on a
/// separate thread if another process made it.
///
/// In an `@Observable` type, `@ObservationIgnored` is required because the macro does not accept wrapped properties.
/// The wrapper itself observes the value.
@propertyWrapper
public struct Preference<Value: PreferenceValue & Sendable>: Sendable {
  private let observed: ObservedPreference<Value>

  /// Creates a preference for a typed key.
  ///
  /// - Parameter store: the preferences that contain the value.
  public init(_ key: PreferenceKey<Value>, store: UserPreferences = .standard) {
    observed = ObservedPreference(key, store)
  }

  /// Creates a preference for a key.
  ///
  /// - Parameters:
  ///   - wrappedValue: the default value.
  ///   - name: the key, at least one character.
  ///   - store: the preferences that contain the value.
  public init(wrappedValue: Value, _ name: String, store: UserPreferences = .standard) {
    self.init(PreferenceKey(name, default: wrappedValue), store: store)
  }

  /// Creates a preference without a default value. Setting nil removes the value.
  ///
  /// - Parameters:
  ///   - name: the key, at least one character.
  ///   - store: the preferences that contain the value.
  public init<Wrapped>(_ name: String, store: UserPreferences = .standard) where Value == Wrapped? {
    self.init(PreferenceKey(name), store: store)
  }

  /// The preference itself.
  public var projectedValue: Preference<Value> { self }

  /// The key, with its default value.
  public var key: PreferenceKey<Value> { observed.key }

  /// The preferences that contain the value.
  public var store: UserPreferences { observed.store }

  /// The current effective value, followed by each new one.
  public var values: PreferenceValues<Value> { store.values(for: key) }

  /// Removes the value from the domain of the application. Other domains or the default provide the value then.
  public func removeValue() { store.removeValue(for: key) }

  /// The effective value. If a value cannot be stored, setting it changes nothing, and the handler of
  /// ``UserPreferences/handleErrors(_:)`` gets the error.
  public var wrappedValue: Value {
    get { observed.value }
    nonmutating set { observed.value = newValue }
  }
}

/// An observable object whose only property is a preference.
private final class ObservedPreference<Value: PreferenceValue & Sendable>: Observable, Sendable {
  let key: PreferenceKey<Value>
  let store: UserPreferences
  private let registrar = ObservationRegistrar()
  /// The observer; nil until the property is read, so that an unused property costs nothing.
  private let observer = Mutex<PreferencesObserver?>(nil)

  init(_ key: PreferenceKey<Value>, _ store: UserPreferences) {
    self.key = key
    self.store = store
  }

  var value: Value {
    get {
      observe()
      registrar.access(self, keyPath: \.value)
      return store[key]
    }
    set { store[key] = newValue }
  }

  private func observe() {
    observer.withLock { observer in
      guard observer == nil else { return }
      observer = PreferencesObserver(.searchList(store), key: key.name) { [weak self] observer in
        guard let self else { return }
        while observer.nextChange() != nil { registrar.withMutation(of: self, keyPath: \.value) {} }
      }
    }
  }
}
