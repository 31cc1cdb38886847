public import PropertyLists
internal import Synchronization
internal import SystemFiles

/// Preferences: values for keys. A value is searched in a list of domains, and saved in a file that other processes may
/// use at the same time.
///
/// ```swift
/// let preferences = UserPreferences.standard
/// preferences.register(defaults: ["fontSize": 12])
/// let size = preferences.integer(forKey: "fontSize")
/// preferences.set(14, forKey: "fontSize")
/// ```
///
/// Reading a value searches the domains of the ``searchList`` in order. The first value that is found is the effective
/// value of the key. Setting a value changes the domain of the application, and returns immediately. The value is saved
/// a few hundredths of a second later, or when the process exits normally. Values that other processes save appear soon
/// after, without a call. See <doc:WhereValuesComeFrom>.
///
/// All members can be used on any thread, and reading never waits for the disk.
public final class UserPreferences: Sendable {
  /// The preferences of this application. If the program is in a bundle that has an identifier, the domain is the
  /// bundle identifier; else it is the name of the process, as with Foundation on Linux.
  public static let standard = UserPreferences(domain: ProcessDomain.name, .standard, ArgumentDomain.ofProcess)

  /// The domain that receives new values, for any host.
  public let domain: PersistentDomain
  /// The folders that contain the files of the domains.
  public let locations: PreferencesLocations

  let context: PreferencesContext
  /// The file that receives new values.
  let file: DomainFile
  /// The entries of the search list before the suites.
  let upper: [Layer]
  /// The entries of the search list after the suites.
  let lower: [Layer]
  private let suites = Mutex<[Layer]>([])
  /// The tables of the search list, in order. Reads search them without waiting for the lock of `suites`.
  private let searched: SharedValue<SearchedTables>
  private let observers = Mutex<[WeakTableObserver]>([])
  /// The files of other domains whose values were set through this instance.
  private let others = Mutex<[ObjectIdentifier: DomainFile]>([:])

  /// An entry of the search list.
  struct Layer: Sendable {
    let source: Source
    let table: DomainTable
    /// The file; nil if the values are only in memory.
    let file: DomainFile?
  }

  /// Creates the preferences of a suite, which is a domain that several applications share, or of another application.
  /// In the search list, this domain replaces the domain of the application.
  ///
  /// All `UserPreferences` of one domain in a process share its values, so creating another instance is cheap.
  ///
  /// - Parameters:
  ///   - suiteName: the name of the domain.
  ///   - locations: the folders that contain the files of the domains.
  ///   - arguments: the command line arguments for the argument domain, without the name of the program; nil for those
  ///     of the process.
  /// - Complexity: O(*n*) in the size of the files of the domain, for the first instance in a process.
  public convenience init(
    suiteName: DomainName, locations: PreferencesLocations = .standard, arguments: [String]? = nil
  ) {
    self.init(domain: suiteName, locations, arguments.map { ArgumentDomain.table($0) } ?? ArgumentDomain.ofProcess)
  }

  /// Creates preferences in memory, for tests and previews. No file is read or written, and the values are not shared
  /// with other instances.
  ///
  /// Everything else works as with files: setting, saving, updates, observation, suites and domains.
  ///
  /// ```swift
  /// let preferences = UserPreferences(inMemory: ["fontSize": 14, "theme": "dark"])
  /// ```
  ///
  /// - Parameters:
  ///   - values: the values of the application's domain. A value that cannot be stored is left out, and the handler of
  ///     ``handleErrors(_:)`` gets the error.
  ///   - domain: the name of that domain.
  ///   - arguments: the command line arguments, without the name of the program.
  public convenience init(
    inMemory values: [String: any PreferenceValue], domain: DomainName = "in-memory", arguments: [String] = []
  ) {
    self.init(domain: domain, .inMemory, ArgumentDomain.table(arguments), PreferencesContext.inMemory())
    for (key, value) in values {
      reportingErrors { () throws(PreferencesError) in
        store(try value.stored(forKey: key), forKey: key, in: file)
      }
    }
    file.table.savedInMemory()
  }

  private init(
    domain name: DomainName, _ locations: PreferencesLocations, _ arguments: DomainTable,
    _ ownContext: PreferencesContext? = nil
  ) {
    domain = PersistentDomain(name)
    self.locations = locations
    context = ownContext ?? PreferencesContext.at(locations)
    let user = Self.userLayers(name, locations, context) { .application($0, $1) }
    file = context.file(of: PersistentDomain(name))
    // If the domain of the application is the global one, it is searched only once.
    let names = name == .global ? [name] : [name, .global]
    upper =
      Self.folderLayers(names, locations.managedFolders) { .managed($0, path: $1) }
      + [Layer(source: .arguments, table: arguments, file: nil)] + user
    lower =
      (name == .global ? [] : Self.userLayers(.global, locations, context) { .global($1) })
      + Self.folderLayers(names, locations.systemFolders) { .systemWide($0, path: $1) }
      + [Layer(source: .registration, table: context.registration, file: nil)]
    searched = SharedValue(SearchedTables((upper + lower).map(\.table)))
  }

  private static func userLayers(
    _ name: DomainName, _ locations: PreferencesLocations, _ context: PreferencesContext,
    _ source: (DomainName, PreferencesHost) -> Source
  ) -> [Layer] {
    PreferencesHost.allCases.map { host in
      let file = context.file(of: PersistentDomain(name, host: host))
      return Layer(source: source(name, host), table: file.table, file: file)
    }
  }

  private static func folderLayers(
    _ names: [DomainName], _ folders: [String], _ source: (DomainName, String) -> Source
  ) -> [Layer] {
    names.flatMap { name in
      folders.map { folder in
        let path = FileSystem.join(folder, name.fileName(host: nil))
        let file = DomainFile.at(path, base: nil)
        return Layer(source: source(name, path), table: file.table, file: file)
      }
    }
  }

  /// All entries of the search list, in order.
  var layers: [Layer] {
    // In a child of `fork`, the lock may be held by a thread that exists only in the parent.
    upper + (ForkedChild.isThisProcess ? [] : suites.withLock { $0 }) + lower
  }

  /// True if this process can set and observe values. In a child of `fork`, it cannot, and an error is reported.
  var canChange: Bool {
    guard ForkedChild.isThisProcess else { return true }
    PreferencesErrors.report(.forkedProcess)
    return false
  }

  /// Adds the domain of a suite to the search list, after the domain of the application and before suites that were
  /// added earlier. A suite that is already in the list is moved before the other suites.
  ///
  /// Setting a value does not change a suite. To change it, use ``set(_:forKey:in:)-(PropertyList?,_,_)``, or create an
  /// instance for the suite. The domain of the application and the global domain cannot be added, because they are
  /// already in the list.
  ///
  /// - Complexity: O(*n*) in the number of suites in the search list.
  public func addSuite(named name: DomainName) {
    guard name != domain.name, name != .global, canChange else { return }
    let layers = Self.userLayers(name, locations, context) { .suite($0, $1) }
    changeSuites { $0 = layers + $0.filter { !$0.isSuite(name) } }
    let observers = currentObservers
    for layer in layers {
      for observer in observers { add(observer, to: layer) }
    }
    // The tables report only later changes. The observers check the current values now, because adding the suite may
    // have changed the effective values of its keys.
    let keys = layers.flatMap { $0.table.values.keys }
    for observer in observers { observer.note(keys) }
  }

  /// Removes the domain of a suite from the search list.
  public func removeSuite(named name: DomainName) {
    guard canChange else { return }
    let removed = changeSuites { suites in
      let removed = suites.filter { $0.isSuite(name) }
      suites.removeAll { $0.isSuite(name) }
      return removed
    }
    let keys = removed.flatMap { $0.table.values.keys }
    for observer in currentObservers { observer.note(keys) }
  }

  private func changeSuites<Result: Sendable>(_ change: (inout [Layer]) -> Result) -> Result {
    suites.withLock { suites in
      let result = change(&suites)
      let tables = (upper + suites + lower).map(\.table)
      searched.withLock { $0 = SearchedTables(tables) }
      return result
    }
  }

  /// Returns the result of `body` for the effective value of a key; `default` if the key has no value.
  @inline(__always)
  func read<Result>(_ key: String, default: Result, _ body: (PropertyList) -> Result) -> Result {
    read(TableKey(key), default: `default`, body)
  }

  @inline(__always)
  private func read<Result>(_ key: TableKey, default: Result, _ body: (PropertyList) -> Result) -> Result {
    // The result is not returned through each search function, because each would wrap it in another optional.
    var result = `default`
    // The claim must end before waiting for a change, because the change waits for the claim.
    if case .some = readNow(key, { result = body($0) }) { return result }
    return waitingForChanges(key).map(body) ?? `default`
  }

  /// Returns the result of `body` for the effective value; `.some(nil)` if the key has no value; nil if a domain is
  /// being changed, so that the caller must wait.
  @inline(__always)
  private func readNow<Result>(_ key: TableKey, _ body: (PropertyList) -> Result) -> Result?? {
    guard let claim = searched.claim() else { return nil }
    return searched.read(claim) { $0.read(key, claim, body) } ?? nil
  }

  /// Returns the effective value of a key. Waits until changes in progress have ended.
  private func waitingForChanges(_ key: TableKey) -> PropertyList? {
    for table in searched.read({ $0.tables }) {
      if let value = table.value(forKey: key) { return value }
    }
    return nil
  }

  /// Returns the effective value for a key, as it is stored; nil if the key has no value.
  public func value(forKey key: String) -> PropertyList? { read(key, default: nil) { $0 } }

  /// Returns the effective value for a key whose hash is already known.
  ///
  /// - Parameter hash: the hash of the key in ``PreferenceKey``.
  @usableFromInline
  func value(forKey key: String, hash: UInt64) -> PropertyList? { read(TableKey(key, hash: hash), default: nil) { $0 } }

  /// Returns the effective value for a key, and its source; nil if the key has no value.
  public func effectiveValue(forKey key: String) -> (value: PropertyList, source: Source)? {
    effectiveValue(forKey: TableKey(key))
  }

  func effectiveValue(forKey key: TableKey) -> (value: PropertyList, source: Source)? {
    for layer in layers {
      if let value = layer.table.value(forKey: key) { return (value, layer.source) }
    }
    return nil
  }

  /// Returns true if the administrator manages the value for a key, so that setting another value has no effect.
  public func isForced(forKey key: String) -> Bool {
    let key = TableKey(key)
    return upper.contains { $0.source.isManaged && $0.table.value(forKey: key) != nil }
  }

  /// Returns the effective values of all keys in all domains. If two keys are canonically equivalent in Unicode, so
  /// that Swift treats them as equal, only one is returned.
  ///
  /// - Complexity: O(*n*) in the number of values of all domains.
  public func dictionaryRepresentation() -> [String: PropertyList] { effectiveValues.byName }

  var effectiveValues: [TableKey: PropertyList] {
    layers.reduce(into: [:]) { all, layer in all.merge(layer.table.values) { first, _ in first } }
  }

  func add(_ observer: any TableObserver) {
    guard canChange else { return }
    observers.withLock { observers in
      // Released observers are removed whenever the number has doubled, so that the average cost is constant.
      if observers.count.nonzeroBitCount == 1 { observers.removeAll { $0.observer == nil } }
      observers.append(WeakTableObserver(observer: observer))
    }
    for layer in layers { add(observer, to: layer) }
  }

  private func add(_ observer: any TableObserver, to layer: Layer) {
    layer.table.add(observer)
    layer.file?.watch()
  }

  private var currentObservers: [any TableObserver] { observers.withLock { $0.compactMap(\.observer) } }

  /// Sets the value for a key in the domain of the application, or removes it if `value` is nil.
  ///
  /// Returns immediately; call ``synchronize()-7kbyu`` to wait until the value is on the disk. All threads of the
  /// process see the new value, unless a domain earlier in the search list has a value for the key.
  ///
  /// A value cannot be stored if it is nested more than 500 levels deep, or contains a null or a UID. Such a value, or
  /// an empty key, changes nothing, and the handler of ``handleErrors(_:)`` gets the error.
  public func set(_ value: PropertyList?, forKey key: String) { set(value, forKey: key, in: file) }

  /// Removes the value for a key from the domain of the application.
  public func removeValue(forKey key: String) { set(nil, forKey: key, in: file) }

  /// Registers default values, which are used for keys that no other domain of the ``searchList`` has. They are never
  /// saved.
  ///
  /// The values are added to those that were registered before, and apply to all instances of this process with the
  /// same ``locations``.
  public func register(defaults: [String: PropertyList]) {
    addRegistered(defaults.filter { check($0.value, forKey: $0.key) })
  }

  /// Saves the values that this process has set in the domains of the ``searchList``, and those that were set in other
  /// domains through this instance. Returns when they are on the disk. Also reads the values that other processes have
  /// saved.
  ///
  /// Call this only if a program must know that its values are safe. Unlike setting and reading values, this function
  /// waits for the disk.
  ///
  /// - Throws: ``PreferencesError``, the first one of several. Nothing is lost: the values stay in memory, and saving
  ///   them is tried again. Each file has either all of its changes or none.
  public func synchronize() throws(PreferencesError) { try synchronize(patience: SaveSchedule.patience) }

  /// Saves and reads the files, as ``synchronize()-7kbyu`` does.
  ///
  /// - Parameter patience: the time to wait for another process that saves a file, for each file.
  package func synchronize(patience: Duration) throws(PreferencesError) {
    guard !ForkedChild.isThisProcess else { throw .forkedProcess }
    var first: PreferencesError?
    let touched = others.withLock { $0 }
    let files = layers.compactMap(\.file)
    let searched = Set(files.map { ObjectIdentifier($0) })
    for file in files + touched.values.filter({ !searched.contains(ObjectIdentifier($0)) }) {
      do {
        try file.save(patience: patience)
        // Removed only after the save, so that another thread that synchronizes meanwhile waits for the file too.
        others.withLock { others in
          if !file.table.hasUnsaved { others[ObjectIdentifier(file)] = nil }
        }
      } catch {
        file.schedule.noteTold(error)
        first = first ?? error
      }
    }
    if let first { throw first }
  }

  /// Sets or removes the value for a key in the domain of a file. If the key is empty or the value cannot be stored,
  /// reports the error to the handler.
  func set(_ value: PropertyList?, forKey key: String, in file: DomainFile) {
    reportingErrors { () throws(PreferencesError) in
      guard !key.isEmpty else { throw .emptyKey }
      try value?.checkStorable(forKey: key)
      store(value, forKey: key, in: file)
    }
  }

  /// Sets or removes the value for a key in the domain of a file. The caller has checked that the key and the value can
  /// be stored.
  func store(_ value: PropertyList?, forKey key: String, in file: DomainFile) {
    guard canChange else { return }
    let key = TableKey(key)
    UpdateUnderWay.note(key, in: file.name)
    let hasChanged = file.table.set(value, forKey: key)
    file.schedule.fileHasChanged(file)
    if hasChanged { file.table.notify([key]) }
  }

  /// Adds default values to the registered ones. The caller has checked that they can be stored.
  func addRegistered(_ values: [String: PropertyList]) {
    guard canChange else { return }
    context.registration.notify(context.registration.register(values))
  }

  /// Returns true if a value can be stored; else reports the error to the handler.
  func check(_ value: PropertyList, forKey key: String) -> Bool {
    var isStorable = false
    reportingErrors { () throws(PreferencesError) in
      try value.checkStorable(forKey: key)
      isStorable = true
    }
    return isStorable
  }

  /// Calls `body`, and reports its error to the handler.
  func reportingErrors(_ body: () throws(PreferencesError) -> Void) {
    do { try body() } catch { PreferencesErrors.report(error) }
  }

  /// Remembers a file that was changed, so that `synchronize` saves it even if it is not in the search list.
  func remember(_ file: DomainFile) {
    guard canChange else { return }
    others.withLock { $0[ObjectIdentifier(file)] = file }
  }
}

extension UserPreferences.Layer {
  fileprivate func isSuite(_ name: DomainName) -> Bool {
    if case .suite(name, _) = source { true } else { false }
  }
}

extension UserPreferences {
  /// Calls `handler` for each error that no caller receives: a file that cannot be read, a save in the background that
  /// failed, a value that cannot be stored.
  ///
  /// Without a handler, each error is printed to standard error as a line. A repeated error is reported once. If a file
  /// cannot be read, the error is reported again after the file has changed. If a file cannot be saved, the error is
  /// reported again after another error, or after a save that succeeded. The handler is used by all instances of the
  /// process, and may be called on any thread.
  public static func handleErrors(_ handler: @escaping @Sendable (PreferencesError) -> Void) {
    PreferencesErrors.setHandler(handler)
  }
}
