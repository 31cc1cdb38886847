internal import Observation
internal import Synchronization

/// A property whose value is a preference, and that is observed like one of an `@Observable` type.
///
/// ```swift
/// @Observable final class EditorModel {
///   @ObservationIgnored @Preference(Keys.fontSize) var fontSize
///   @ObservationIgnored @Preference("theme") var theme = Theme.light
///   @ObservationIgnored @Preference("nickname") var nickname: String?
/// }
/// ```
///
/// With a `$` before its name, the property is the preference itself: `$theme.removeValue()` has the default count
/// again, and `$theme.values` is the sequence of its values.
///
/// What has read the property while it was tracked, such as a view of SwiftUI or `withObservationTracking`, is
/// invalidated when another value comes to count, in this process or by another. `@ObservationIgnored` is needed in an
/// `@Observable` type because the macro takes no property with a wrapper; the wrapper observes by itself.
///
/// A change by this process invalidates on the thread that made it, one by another process on a thread of its own.
@propertyWrapper
public struct Preference<Value: PreferenceValue & Sendable>: Sendable {
  private let observed: ObservedPreference<Value>

  /// The value of a typed key.
  ///
  /// - Parameter store: where the value is.
  public init(_ key: PreferenceKey<Value>, store: UserPreferences = .standard) {
    observed = ObservedPreference(key, store)
  }

  /// The value for a key.
  ///
  /// - Parameters:
  ///   - wrappedValue: what counts when there is no value.
  ///   - name: at least one character.
  ///   - store: where the value is.
  public init(wrappedValue: Value, _ name: String, store: UserPreferences = .standard) {
    self.init(PreferenceKey(name, default: wrappedValue), store: store)
  }

  /// The value for a key that may have none. Setting nil removes it.
  ///
  /// - Parameters:
  ///   - name: at least one character.
  ///   - store: where the value is.
  public init<Wrapped>(_ name: String, store: UserPreferences = .standard) where Value == Wrapped? {
    self.init(PreferenceKey(name), store: store)
  }

  /// The preference itself.
  public var projectedValue: Preference<Value> { self }

  /// The key, with its default value.
  public var key: PreferenceKey<Value> { observed.key }

  /// The store that the value is in.
  public var store: UserPreferences { observed.store }

  /// The value that counts, now and whenever it becomes another.
  public var values: PreferenceValues<Value> { store.values(for: key) }

  /// Removes the value from the domain of the application, so that other domains or the default count.
  public func removeValue() { store.removeValue(for: key) }

  /// The value that counts. A value that cannot be stored changes nothing and is told to the handler of
  /// ``UserPreferences/handleErrors(_:)``.
  public var wrappedValue: Value {
    get { observed.value }
    nonmutating set { observed.value = newValue }
  }
}

/// A preference as an object of Observation with one property.
private final class ObservedPreference<Value: PreferenceValue & Sendable>: Observable, Sendable {
  let key: PreferenceKey<Value>
  let store: UserPreferences
  private let registrar = ObservationRegistrar()
  /// Nil until the property is read, so that one that is never read costs nothing.
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
