// swift-tools-version: 6.2
import PackageDescription

// Continuous integration takes no warnings.
let warnings: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

let testSettings: [SwiftSetting] =
  warnings + [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]

let settings =
  testSettings + [
    .strictMemorySafety(),
    // For a property that returns a span of its owner's bytes.
    .enableExperimentalFeature("Lifetimes"),
  ]

let logging: Target.Dependency = .product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["SwiftLog"]))

let package = Package(
  name: "swift-keyed-archiving",
  platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
  products: [
    .library(name: "PropertyLists", targets: ["PropertyLists"]),
    .library(name: "PropertyListTools", targets: ["PropertyListTools"]),
    .library(name: "KeyedArchiving", targets: ["KeyedArchiving"]),
    .library(name: "KeyedArchivingFoundation", targets: ["KeyedArchivingFoundation"]),
    .library(name: "Typedstreams", targets: ["Typedstreams"]),
    .library(name: "Nibs", targets: ["Nibs"]),
    .library(name: "ArchiveViews", targets: ["ArchiveViews"]),
    .library(name: "ProgramFolders", targets: ["ProgramFolders"]),
    .library(name: "Preferences", targets: ["Preferences"]),
    .library(name: "Predicates", targets: ["Predicates"]),
    .library(name: "ObjectModels", targets: ["ObjectModels"]),
    .library(name: "ManagedObjects", targets: ["ManagedObjects"]),
    .library(name: "SQLiteAccess", targets: ["SQLiteAccess"]),
    .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
    .library(name: "StoreInspection", targets: ["StoreInspection"]),
    .library(name: "StoreTests", targets: ["StoreTests"]),
    .executable(name: "plistutil", targets: ["plistutil"]),
    .executable(name: "storeutil", targets: ["storeutil"]),
  ],
  traits: [
    .trait(name: "SwiftLog", description: "SQLiteTrace.logger, which writes SQL statements to a logger of swift-log.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // Not fetched without the trait.
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .systemLibrary(name: "CLibXML2"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "SystemFiles", swiftSettings: settings),
    .target(name: "SharedFiles", dependencies: ["SystemFiles"], swiftSettings: settings),
    .target(
      name: "PropertyLists",
      dependencies: [
        "CLibXML2", "SystemFiles", .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "PropertyListTools",
      dependencies: [
        "PropertyLists", "SystemFiles", .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "KeyedArchiving",
      dependencies: [
        "PropertyLists", .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(name: "KeyedArchivingFoundation", dependencies: ["KeyedArchiving"], swiftSettings: settings),
    .target(
      name: "Typedstreams",
      dependencies: [
        "KeyedArchiving", "PropertyLists", .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "Nibs",
      dependencies: [
        "KeyedArchiving", "PropertyLists", "SystemFiles",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "ArchiveViews", dependencies: ["KeyedArchiving", "Nibs", "PropertyLists", "SystemFiles", "Typedstreams"],
      swiftSettings: settings),
    .target(
      name: "ProgramFolders",
      dependencies: [
        "PropertyLists", "SystemFiles", .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "Preferences",
      dependencies: [
        "KeyedArchiving", "PropertyLists", "SharedFiles", "SystemFiles",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "Predicates",
      dependencies: [
        "KeyedArchiving", "PropertyLists", "SystemFiles",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "ObjectModels",
      dependencies: [
        "KeyedArchiving", "Predicates", "ProgramFolders", "PropertyLists", "SystemFiles",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "ManagedObjects",
      dependencies: [
        "KeyedArchiving", "ObjectModels", "Predicates", "ProgramFolders", "PropertyLists", "SharedFiles", "SystemFiles",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "SQLQueries", dependencies: ["ManagedObjects", "ObjectModels", "Predicates"], swiftSettings: settings),
    .target(name: "SQLiteAccess", dependencies: ["CSQLite", "SystemFiles", logging], swiftSettings: settings),
    .target(
      name: "SQLiteStore",
      dependencies: [
        "CZlib", "KeyedArchiving", "ManagedObjects", "PropertyLists", "SQLQueries", "SQLiteAccess", "SystemFiles",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(
      name: "StoreInspection",
      dependencies: [
        "ManagedObjects", "ObjectModels", "Predicates", "PropertyLists", "SQLQueries", "SQLiteAccess", "SQLiteStore",
        "SystemFiles",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .target(name: "StoreTests", dependencies: ["ManagedObjects"], swiftSettings: settings),
    .target(
      name: "BrowsingPages", dependencies: ["ArchiveViews", "KeyedArchiving", "PropertyLists", "SystemFiles"],
      resources: [
        .embedInCode("Page/page.html"), .embedInCode("Page/page.css"), .embedInCode("Page/text.js"),
        .embedInCode("Page/data.js"), .embedInCode("Page/values.js"), .embedInCode("Page/tree.js"),
        .embedInCode("Page/table.js"), .embedInCode("Page/object.js"), .embedInCode("Page/search.js"),
        .embedInCode("Page/page.js"), .embedInCode("Page/filter.js"),
      ],
      swiftSettings: settings),
    .target(
      name: "StorePages",
      dependencies: [
        "ArchiveViews", "BrowsingPages", "KeyedArchiving", "ManagedObjects", "PropertyLists", "SystemFiles",
      ],
      swiftSettings: settings),
    .target(
      name: "ToolSupport",
      dependencies: [
        "PropertyLists", "SystemFiles", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "plistutil",
      dependencies: [
        "ArchiveViews", "BrowsingPages", "KeyedArchiving", "Nibs", "Predicates", "Preferences", "PropertyListTools",
        "PropertyLists", "SharedFiles", "SystemFiles", "ToolSupport", "Typedstreams",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "storeutil",
      dependencies: [
        "ArchiveViews", "KeyedArchiving", "ManagedObjects", "PropertyLists", "SQLQueries", "SQLiteStore",
        "StoreInspection", "StorePages", "SystemFiles", "ToolSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "notes",
      dependencies: [
        "KeyedArchiving", "ManagedObjects", "ProgramFolders", "PropertyLists", "SQLiteAccess", "SQLiteStore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/Notes", exclude: ["README.md"], swiftSettings: testSettings),
    .executableTarget(
      name: "contacts",
      dependencies: [
        "ManagedObjects", "ProgramFolders", "SQLiteStore", "ToolSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/Contacts", swiftSettings: testSettings),
    .executableTarget(
      name: "settings",
      dependencies: [
        "Preferences", "PropertyLists", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Examples/Settings", swiftSettings: testSettings),
    .target(
      name: "TestSupport", dependencies: ["PropertyLists", "SystemFiles"], path: "Tests/TestSupport",
      swiftSettings: testSettings),
    .target(
      name: "ManagedObjectsSamples",
      dependencies: ["ManagedObjects", .product(name: "OrderedCollections", package: "swift-collections")],
      path: "Tests/ManagedObjectsSamples", swiftSettings: testSettings),
    .testTarget(name: "SystemFilesTests", dependencies: ["SystemFiles", "TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "PropertyListsTests", dependencies: ["PropertyListTools", "PropertyLists", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "KeyedArchivingTests",
      dependencies: [
        "ArchiveViews", "KeyedArchiving", "Nibs", "PropertyLists", "TestSupport", "Typedstreams",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "ProgramFoldersTests", dependencies: ["ObjectModels", "ProgramFolders", "PropertyLists", "TestSupport"],
      resources: [.process("Resources")], swiftSettings: testSettings),
    .executableTarget(
      name: "preferences-probe",
      dependencies: ["Preferences", "PropertyLists", "SharedFiles", "SystemFiles"],
      path: "Tests/PreferencesProbe", swiftSettings: testSettings),
    .executableTarget(
      name: "foundation-preferences-probe",
      dependencies: ["Preferences", "PropertyLists"],
      path: "Tests/FoundationPreferencesProbe", swiftSettings: testSettings),
    .testTarget(
      name: "PreferencesTests",
      dependencies: [
        "Preferences", "KeyedArchiving", "PropertyLists", "SharedFiles", "SystemFiles", "TestSupport",
        "preferences-probe",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "InterchangeTests",
      dependencies: [
        "KeyedArchiving", "KeyedArchivingFoundation", "Preferences", "PropertyLists", "TestSupport",
        "foundation-preferences-probe",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: testSettings),
    .target(
      name: "PredicatesSamples", dependencies: ["Predicates"], path: "Tests/PredicatesSamples",
      swiftSettings: testSettings),
    .testTarget(
      name: "PredicatesTests",
      dependencies: ["Predicates", "PredicatesSamples", "KeyedArchiving", "PropertyLists", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(name: "ArchitectureTests", swiftSettings: testSettings),
    .testTarget(
      name: "ManagedObjectsTests",
      dependencies: [
        "ManagedObjects", "KeyedArchiving", "ManagedObjectsSamples", "ObjectModels", "Predicates", "PredicatesSamples",
        "PropertyLists", "SQLiteStore", "StoreTests", "SystemFiles", "TestSupport",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "SQLiteAccessTests", dependencies: ["SQLiteAccess", "TestSupport", logging], swiftSettings: testSettings),
    .executableTarget(
      name: "sqlite-store-probe", dependencies: ["CSQLite", "ManagedObjects", "SQLiteStore", "StoreInspection"],
      path: "Tests/SQLiteStoreProbe", swiftSettings: testSettings),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: [
        "CSQLite", "SQLiteStore", "StoreInspection", "StoreTests", "ManagedObjects", "ManagedObjectsSamples",
        "PropertyLists", "TestSupport", "sqlite-store-probe",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ],
      exclude: ["reader.py", "store_reader"], swiftSettings: testSettings),
    .testTarget(
      name: "BrowsingPagesTests",
      dependencies: [
        "BrowsingPages", "KeyedArchiving", "ManagedObjects", "PropertyLists", "StorePages", "SystemFiles",
        "TestSupport", "storeutil",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "ExamplesTests",
      dependencies: [
        "contacts", "notes", "settings", "CSQLite", "KeyedArchiving", "ManagedObjects", "Preferences", "ProgramFolders",
        "PropertyLists", "SQLiteAccess", "SQLiteStore", "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "plistutilTests", dependencies: ["plistutil", "PropertyListTools", "PropertyLists", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "storeutilTests",
      dependencies: [
        "storeutil", "CSQLite", "KeyedArchiving", "ManagedObjects", "PropertyLists", "SQLiteStore", "TestSupport",
      ],
      swiftSettings: testSettings),
  ]
)
