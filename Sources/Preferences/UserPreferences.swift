public import PropertyLists
internal import Synchronization
internal import SystemFiles

/// Preferences: values under keys, looked up in a list of domains and kept in files that other processes may use at the
/// same time.
///
/// ```swift
/// let preferences = UserPreferences.standard
/// preferences.register(defaults: ["fontSize": 12])
/// let size = preferences.integer(forKey: "fontSize")
/// preferences.set(14, forKey: "fontSize")
/// ```
///
/// A value is looked for in each domain of the ``searchList`` until one has it, and set in the domain of the
/// application. Setting returns at once; the value is saved a few hundredths of a second later, and when the process
/// ends in order. What other processes save is seen soon after, without a call. See <doc:WhereValuesComeFrom>.
///
/// All members can be used on any thread, and reading never waits for the disk.
public final class UserPreferences: Sendable {
  /// The preferences of this application: the bundle identifier's domain if the program is in a bundle that has one,
  /// else the domain with the name of the process, as Foundation has it on Linux.
  public static let standard = UserPreferences(domain: ProcessDomain.name, .standard, ArgumentDomain.ofProcess)

  /// The domain that values are set in, for any host.
  public let domain: PersistentDomain
  /// The folders that the files are in.
  public let locations: PreferencesLocations

  let context: PreferencesContext
  /// The file that values are set in.
  let file: DomainFile
  /// The search list before the suites, and after them.
  let upper: [Layer]
  let lower: [Layer]
  private let suites = Mutex<[Layer]>([])
  /// The tables of all three, for reading.
  private let searched: SharedValue<SearchedTables>
  private let observers = Mutex<[WeakTableObserver]>([])
  /// Files of other domains that were changed by way of this value.
  private let others = Mutex<[ObjectIdentifier: DomainFile]>([:])

  /// One layer of the search list.
  struct Layer: Sendable {
    let source: Source
    let table: DomainTable
    /// Nil if the values are in memory only.
    let file: DomainFile?
  }

  /// The preferences of a suite: a domain that several applications share, or one of another application. Its domain
  /// stands where that of the application would stand.
  ///
  /// Values of one domain in one process share what they know, so making one is cheap after the first.
  ///
  /// - Parameters:
  ///   - suiteName: the domain.
  ///   - locations: the folders to look in.
  ///   - arguments: the arguments of a command line, without the name of the program, for the domain of arguments; nil
  ///     for those of the process.
  /// - Complexity: O(*n*) in the size of the files of the domain, the first time in a process.
  public convenience init(
    suiteName: DomainName, locations: PreferencesLocations = .standard, arguments: [String]? = nil
  ) {
    self.init(domain: suiteName, locations, arguments.map { ArgumentDomain.table($0) } ?? ArgumentDomain.ofProcess)
  }

  /// Preferences in memory, for tests and previews: no file is read or written, and no other store has the values.
  ///
  /// Everything else is as in a store with files: values set and saved, updates, observation, suites, and domains.
  ///
  /// ```swift
  /// let preferences = UserPreferences(inMemory: ["fontSize": 14, "theme": "dark"])
  /// ```
  ///
  /// - Parameters:
  ///   - values: the values of the application's domain. A value that cannot be stored is left out, and the handler of
  ///     ``handleErrors(_:)`` gets the error.
  ///   - domain: the name of that domain.
  ///   - arguments: the arguments of a command line, without the name of the program.
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
    // An application's domain may be the global one; it is then searched once.
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
        let path = PreferencesLocations.join(folder, name.fileName(host: nil))
        let file = DomainFile.at(path, base: nil)
        return Layer(source: source(name, path), table: file.table, file: file)
      }
    }
  }

  /// All layers that values are looked for in, in order.
  var layers: [Layer] {
    // A missing thread may have the lock.
    upper + (ForkedChild.isThisProcess ? [] : suites.withLock { $0 }) + lower
  }

  /// False in a child of `fork`, where nothing can be changed or observed. That is reported then.
  var canChange: Bool {
    guard ForkedChild.isThisProcess else { return true }
    PreferencesErrors.report(.forkedProcess)
    return false
  }

  /// Adds the domain of a suite to the search list, after the application's and before those of suites added earlier. A
  /// suite that is there already moves to the front.
  ///
  /// Values are not set there; use ``set(_:forKey:in:)-(PropertyList?,_,_)`` or a store of the suite.
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
    // What changes after this is told by the tables.
    let keys = layers.flatMap { $0.table.values.keys }
    for observer in observers { observer.note(keys) }
  }

  /// Takes the domain of a suite out of the search list.
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

  /// What `body` makes of the value that counts for a key; `default` if there is none.
  @inline(__always)
  func read<Result>(_ key: String, default: Result, _ body: (PropertyList) -> Result) -> Result {
    read(TableKey(key), default: `default`, body)
  }

  @inline(__always)
  private func read<Result>(_ key: TableKey, default: Result, _ body: (PropertyList) -> Result) -> Result {
    // Not returned by all that look for the value, as an optional in another one for each.
    var result = `default`
    // The claim must have ended when a change is waited for, which waits for it.
    if case .some = readNow(key, { result = body($0) }) { return result }
    return waitingForChanges(key).map(body) ?? `default`
  }

  /// What `body` makes of the value, `.some(nil)` if there is none; nil if a domain is being changed just now.
  @inline(__always)
  private func readNow<Result>(_ key: TableKey, _ body: (PropertyList) -> Result) -> Result?? {
    guard let claim = searched.claim() else { return nil }
    return searched.read(claim) { $0.read(key, claim, body) } ?? nil
  }

  /// The value that counts for a key while it, or another of its domain, is being changed.
  private func waitingForChanges(_ key: TableKey) -> PropertyList? {
    for table in searched.read({ $0.tables }) {
      if let value = table.value(forKey: key) { return value }
    }
    return nil
  }

  /// The value that counts for a key, as it is stored; nil if there is none.
  public func value(forKey key: String) -> PropertyList? { read(key, default: nil) { $0 } }

  /// - Parameter hash: as ``PreferenceKey`` has it.
  @usableFromInline
  func value(forKey key: String, hash: UInt64) -> PropertyList? { read(TableKey(key, hash: hash), default: nil) { $0 } }

  /// The value that counts for a key, and where it comes from; nil if there is none.
  public func effectiveValue(forKey key: String) -> (value: PropertyList, source: Source)? {
    effectiveValue(forKey: TableKey(key))
  }

  func effectiveValue(forKey key: TableKey) -> (value: PropertyList, source: Source)? {
    for layer in layers {
      if let value = layer.table.value(forKey: key) { return (value, layer.source) }
    }
    return nil
  }

  /// Whether the value is managed, so that setting one has no effect on it.
  public func isForced(forKey key: String) -> Bool {
    let key = TableKey(key)
    return upper.contains { $0.source.isManaged && $0.table.value(forKey: key) != nil }
  }

  /// All values that count, of all domains. Of two spellings of a key that Swift holds equal, one is there.
  ///
  /// - Complexity: O(*n*) in the number of values of all domains.
  public func dictionaryRepresentation() -> [String: PropertyList] { effectiveValues.byName }

  var effectiveValues: [TableKey: PropertyList] {
    layers.reduce(into: [:]) { all, layer in all.merge(layer.table.values) { first, _ in first } }
  }

  func add(_ observer: any TableObserver) {
    guard canChange else { return }
    observers.withLock { observers in
      // As often as their number doubles, so that it costs nothing on average.
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

  /// Sets the value for a key in the domain of the application, or removes it with nil.
  ///
  /// Returns at once; see ``synchronize()`` for when the value is on the disk. The value counts from now on for all
  /// threads of the process, unless a domain earlier in the search list has one for the key.
  ///
  /// A value that cannot be stored, because it is nested more than 500 levels deep, or has a null or a UID in it, and
  /// an empty key change nothing and are told to the handler of ``handleErrors(_:)``.
  public func set(_ value: PropertyList?, forKey key: String) { set(value, forKey: key, in: file) }

  /// Removes the value for a key from the domain of the application.
  public func removeValue(forKey key: String) { set(nil, forKey: key, in: file) }

  /// Values for keys of the domains in ``searchList`` that come last, for when no domain has any. They are never saved.
  ///
  /// What is registered is added to what was registered before, for all stores of this process with the same
  /// ``locations``.
  public func register(defaults: [String: PropertyList]) {
    addRegistered(defaults.filter { check($0.value, forKey: $0.key) })
  }

  /// Saves what this store has set, and returns when it is on the disk. Also brings in what other processes have saved.
  ///
  /// There is no need to call this but where a program must know that its values are safe. It waits for the disk, as
  /// setting and reading values do not.
  ///
  /// - Throws: ``PreferencesError``, the first of several. Nothing is lost then: values stay in memory, are tried
  ///   again, and the file is as it was or has all of them.
  public func synchronize() throws(PreferencesError) { try synchronize(patience: SaveSchedule.patience) }

  /// - Parameter patience: how long to wait for another process that saves a file, for each file.
  package func synchronize(patience: Duration) throws(PreferencesError) {
    guard !ForkedChild.isThisProcess else { throw .forkedProcess }
    var first: PreferencesError?
    let touched = others.withLock { $0 }
    let files = layers.compactMap(\.file)
    let searched = Set(files.map { ObjectIdentifier($0) })
    for file in files + touched.values.filter({ !searched.contains(ObjectIdentifier($0)) }) {
      do {
        try file.save(patience: patience)
        // Forgotten only now, so that another thread that synchronizes meanwhile waits for it too.
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

  /// - Parameter value: is checked here, and an error told to the handler.
  func set(_ value: PropertyList?, forKey key: String, in file: DomainFile) {
    reportingErrors { () throws(PreferencesError) in
      guard !key.isEmpty else { throw .emptyKey }
      try value?.checkStorable(forKey: key)
      store(value, forKey: key, in: file)
    }
  }

  /// Sets or removes a value for a key, both of which have been checked.
  func store(_ value: PropertyList?, forKey key: String, in file: DomainFile) {
    guard canChange else { return }
    let key = TableKey(key)
    UpdateUnderWay.note(key, in: file.name)
    let hasChanged = file.table.set(value, forKey: key)
    file.schedule.fileHasChanged(file)
    if hasChanged { file.table.notify([key]) }
  }

  /// Adds values that have been checked to the registered ones.
  func addRegistered(_ values: [String: PropertyList]) {
    guard canChange else { return }
    context.registration.notify(context.registration.register(values))
  }

  /// Checks that a value can be stored, and tells the handler if not.
  func check(_ value: PropertyList, forKey key: String) -> Bool {
    var isStorable = false
    reportingErrors { () throws(PreferencesError) in
      try value.checkStorable(forKey: key)
      isStorable = true
    }
    return isStorable
  }

  /// Does something whose error no caller hears of.
  func reportingErrors(_ body: () throws(PreferencesError) -> Void) {
    do { try body() } catch { PreferencesErrors.report(error) }
  }

  /// Remembers a file that was changed, and that has to be saved with the rest though it may not be in the search list.
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
  /// Without a handler, each error is printed to standard error as a line. An error is reported once: that of a file
  /// that cannot be read, until the file changes; that of a save, until another error occurs or a save succeeds. The
  /// handler is for all stores of the process, and may be called on any thread.
  public static func handleErrors(_ handler: @escaping @Sendable (PreferencesError) -> Void) {
    PreferencesErrors.setHandler(handler)
  }
}
