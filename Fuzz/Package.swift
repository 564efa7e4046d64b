// swift-tools-version: 6.2
import PackageDescription

/// One executable for each case of `FuzzTarget`, named after it. Built by `Scripts/fuzz` with `--sanitize fuzzer`,
/// whose runtime brings `main`.
let names = [
    "frames", "records", "codes", "messages", "radio", "descriptions", "requests", "sockets",
    "signatures", "objects", "routes", "improv", "exchanges", "protected",
]

let package = Package(
    name: "PorchlightFuzz",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "Porchlight", path: "..")],
    targets: names.map { name in
        .executableTarget(
            name: name, dependencies: [.product(name: "FuzzTargets", package: "Porchlight")],
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])])
    }
)
