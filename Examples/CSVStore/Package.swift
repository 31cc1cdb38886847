// swift-tools-version: 6.2
import PackageDescription

// A store that is implemented outside of the package: it uses only public types.
let package = Package(
  name: "CSVStore",
  platforms: [.macOS(.v26)],
  products: [.library(name: "CSVStore", targets: ["CSVStore"])],
  dependencies: [
    .package(name: "swift-keyed-archiving", path: "../.."),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  ],
  targets: [
    .target(
      name: "CSVStore",
      dependencies: [
        .product(name: "ManagedObjects", package: "swift-keyed-archiving"),
        .product(name: "PropertyLists", package: "swift-keyed-archiving"),
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    .testTarget(
      name: "CSVStoreTests",
      dependencies: [
        "CSVStore", .product(name: "ManagedObjects", package: "swift-keyed-archiving"),
        .product(name: "StoreTests", package: "swift-keyed-archiving"),
      ]),
  ]
)
