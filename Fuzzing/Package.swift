// swift-tools-version: 6.2
import PackageDescription

/// The counters of what was reached are in sections that nothing refers to by name.
let fuzzing: [LinkerSetting] = [
  .unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "nostart-stop-gc"])
]

// Programs for libFuzzer. They are built with `-sanitize=fuzzer`, as CONTRIBUTING.md says.
let package = Package(
  name: "Fuzzing",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "swift-keyed-archiving", path: "..")],
  targets: [
    .systemLibrary(name: "CLibFuzzer"),
    .executableTarget(
      name: "StoreFuzzer",
      dependencies: [
        "CLibFuzzer", .product(name: "ManagedObjects", package: "swift-keyed-archiving"),
        .product(name: "SQLiteStore", package: "swift-keyed-archiving"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)],
      linkerSettings: fuzzing),
    .executableTarget(
      name: "NibFuzzer",
      dependencies: [
        "CLibFuzzer", .product(name: "ArchiveViews", package: "swift-keyed-archiving"),
        .product(name: "KeyedArchiving", package: "swift-keyed-archiving"),
        .product(name: "Nibs", package: "swift-keyed-archiving"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)],
      linkerSettings: fuzzing),
    .executableTarget(
      name: "UnwrapFuzzer",
      dependencies: [
        "CLibFuzzer", .product(name: "ArchiveViews", package: "swift-keyed-archiving"),
        .product(name: "KeyedArchiving", package: "swift-keyed-archiving"),
        .product(name: "PropertyLists", package: "swift-keyed-archiving"),
        .product(name: "Typedstreams", package: "swift-keyed-archiving"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)],
      linkerSettings: fuzzing),
    .executableTarget(
      name: "TypedstreamFuzzer",
      dependencies: [
        "CLibFuzzer", .product(name: "ArchiveViews", package: "swift-keyed-archiving"),
        .product(name: "KeyedArchiving", package: "swift-keyed-archiving"),
        .product(name: "Typedstreams", package: "swift-keyed-archiving"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)],
      linkerSettings: fuzzing),
  ]
)
