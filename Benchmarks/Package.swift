// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "swift-keyed-archiving", path: ".."),
    // Peers only: what other Swift programs on Linux use for their tables.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .product(name: "PropertyListTools", package: "swift-keyed-archiving"),
        .product(name: "PropertyLists", package: "swift-keyed-archiving"),
        .product(name: "KeyedArchiving", package: "swift-keyed-archiving"),
        .product(name: "ArchiveViews", package: "swift-keyed-archiving"),
        .product(name: "Nibs", package: "swift-keyed-archiving"),
        .product(name: "Typedstreams", package: "swift-keyed-archiving"),
        .product(name: "ManagedObjects", package: "swift-keyed-archiving"),
        .product(name: "Preferences", package: "swift-keyed-archiving"),
        .product(name: "SQLiteStore", package: "swift-keyed-archiving"),
        .product(name: "StoreInspection", package: "swift-keyed-archiving"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]
        + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])),
    // Processes whose whole run is measured, so that neither has more in it than it needs.
    .executableTarget(
      name: "OpenPreferences", dependencies: [.product(name: "Preferences", package: "swift-keyed-archiving")]),
    .executableTarget(name: "OpenUserDefaults"),
  ]
)
