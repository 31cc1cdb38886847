// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "swift-keyed-archiving", path: "..")],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .product(name: "PropertyListTools", package: "swift-keyed-archiving"),
        .product(name: "PropertyLists", package: "swift-keyed-archiving"),
        .product(name: "KeyedArchiving", package: "swift-keyed-archiving"),
        .product(name: "ManagedObjects", package: "swift-keyed-archiving"),
        .product(name: "Preferences", package: "swift-keyed-archiving"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]
        + (Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)])),
    // Processes whose whole run is measured, so that neither has more in it than it needs.
    .executableTarget(
      name: "OpenPreferences", dependencies: [.product(name: "Preferences", package: "swift-keyed-archiving")]),
    .executableTarget(name: "OpenUserDefaults"),
  ]
)
