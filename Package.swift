// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every Swift target: Swift 6 mode, the upcoming features the house relies on, no warnings.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

func storey(_ folder: String, _ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(folder)/\(name)", swiftSettings: house)
}

func tests(_ folder: String, _ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name), "TestSupport"] + (name == "Basics" ? [] : ["Basics"]) + dependencies,
        path: "Tests/\(folder)/\(name)Tests", swiftSettings: house)
}

func system(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let cLibraries: [Target] = [
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    system("CGStreamer", pkgConfig: "gstreamer-webrtc-1.0", apt: "libgstreamer-plugins-bad1.0-dev"),
    system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CSystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
    system("CWebSockets", pkgConfig: "libwebsockets", apt: "libwebsockets-dev"),
]

// What an app developer imports by the names of Apple's (and Google's WebRTC) frameworks. Declared on Linux only, so
// that elsewhere the same SDK sources meet the system's own. Beside them what only Linux has: its message bus.
#if os(Linux)
    let frameworks: [Target] = [
        storey("Platform", "Combine", uses: ["Basics"]),
        storey("Platform", "CoreBluetooth", uses: ["Basics", "DBus"]),
        storey("Platform", "CryptoKit", uses: ["COpenSSL"]),
        storey("Platform", "WebRTC", uses: ["Basics", "CGStreamer"]),
    ]
    let frameworkTests: [Target] = frameworks.map {
        tests(
            "Platform", $0.name,
            uses: $0.name == "WebRTC" ? ["CGStreamer"] : $0.name == "CoreBluetooth" ? ["DBus"] : [])
    }
    let services: [Target] = [storey("Platform", "DBus", uses: ["Basics", "CSystemd"])]
    let serviceTests: [Target] = [tests("Platform", "DBus", uses: ["CSystemd"])]
    let frameworkProducts: [Product] = frameworks.map { .library(name: $0.name, targets: [$0.name]) }
    let combine: [Target.Dependency] = ["Combine"]
    let coreBluetooth: [Target.Dependency] = ["CoreBluetooth"]
    let cryptoKit: [Target.Dependency] = ["CryptoKit"]
    let webRTC: [Target.Dependency] = ["WebRTC"]
    let dBus: [Target.Dependency] = ["DBus"]
#else
    let frameworks: [Target] = []
    let frameworkTests: [Target] = []
    let services: [Target] = []
    let serviceTests: [Target] = []
    let frameworkProducts: [Product] = []
    let combine: [Target.Dependency] = []
    let coreBluetooth: [Target.Dependency] = []
    let cryptoKit: [Target.Dependency] = []
    let webRTC: [Target.Dependency] = []
    let dBus: [Target.Dependency] = []
#endif

let platform: [Target] =
    frameworks + services + [
        storey("Platform", "Basics"),
        storey("Platform", "HTTPClient", uses: ["Basics", "CCurl"]),
        storey("Platform", "SQLite", uses: ["Basics", "CSQLite"]),
        storey("Platform", "WebSockets", uses: ["Basics", "CWebSockets"]),
    ]

let wire: [Target] = [
    .target(name: "Wire", dependencies: cryptoKit, path: "Sources/Wire", swiftSettings: house)
]

let sdk: [Target] = [
    storey("SDK", "CloudClient", uses: ["Basics", "HTTPClient", "Wire"] + combine),
    storey("SDK", "CameraPairing", uses: ["Basics", "Wire"] + combine + coreBluetooth),
    storey("SDK", "LiveView", uses: ["Basics", "CloudClient", "Wire"] + combine + webRTC),
    storey("SDK", "Porchlight", uses: ["Basics", "CameraPairing", "CloudClient", "LiveView", "Wire"] + combine),
]

let programs: [Target] = [
    storey("Programs", "CloudServer", uses: ["Basics", "SQLite", "WebSockets", "Wire"] + cryptoKit),
    storey(
        "Programs", "CameraDevice",
        uses: ["Basics", "HTTPClient", "WebSockets", "Wire"] + coreBluetooth + cryptoKit + dBus + webRTC),
]

let tools: [Target] = [
    .executableTarget(
        name: "porchlight",
        dependencies: ["Basics", "CameraDevice", "CloudServer", "Porchlight", "Wire"] + combine + coreBluetooth
            + dBus + webRTC,
        path: "Sources/Tools/porchlight", swiftSettings: house)
]

let testTargets: [Target] =
    frameworkTests + serviceTests + [
        .target(name: "TestSupport", dependencies: ["Basics"], path: "Tests/TestSupport", swiftSettings: house),
        .target(
            name: "FuzzTargets", dependencies: ["CameraDevice", "WebSockets", "Wire"] + coreBluetooth + dBus + webRTC,
            path: "Tests/FuzzTargets", swiftSettings: house),
        .testTarget(
            name: "FuzzTargetsTests", dependencies: ["FuzzTargets"] + webRTC, path: "Tests/FuzzTargetsTests",
            swiftSettings: house),
        tests("Platform", "Basics"),
        tests("Platform", "HTTPClient", uses: ["WebSockets"]),
        tests("Platform", "SQLite"),
        tests("Platform", "WebSockets"),
        .testTarget(
            name: "WireTests", dependencies: ["Wire", "TestSupport"] + cryptoKit, path: "Tests/WireTests",
            swiftSettings: house),
        tests("SDK", "CloudClient", uses: ["CloudServer", "WebSockets", "Wire"] + combine),
        tests("SDK", "CameraPairing", uses: ["Porchlight", "WebSockets", "Wire"] + combine + coreBluetooth),
        tests("SDK", "LiveView", uses: ["CloudClient", "WebSockets", "Wire"] + combine + webRTC),
        tests("Programs", "CloudServer", uses: ["HTTPClient", "SQLite", "WebSockets", "Wire"] + cryptoKit),
        tests(
            "Programs", "CameraDevice",
            uses: ["HTTPClient", "WebSockets", "Wire"] + coreBluetooth + cryptoKit + dBus + webRTC),
        .testTarget(
            name: "PairingFaultTests",
            dependencies: ["Basics", "CameraDevice", "CameraPairing", "TestSupport", "Wire"] + combine + coreBluetooth,
            path: "Tests/PairingFaultTests", swiftSettings: house),
        .testTarget(
            name: "PorchlightTests",
            dependencies: ["Basics", "CameraDevice", "CloudServer", "Porchlight", "TestSupport", "Wire", "porchlight"]
                + coreBluetooth + dBus + webRTC,
            path: "Tests/Tools/PorchlightTests",
            swiftSettings: house),
    ]

let package = Package(
    name: "Porchlight",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: frameworkProducts + [
        .library(name: "Porchlight", targets: ["Porchlight"]),
        .library(name: "CloudServer", targets: ["CloudServer"]),
        .library(name: "CameraDevice", targets: ["CameraDevice"]),
        .executable(name: "porchlight", targets: ["porchlight"]),
        // For the package in Fuzz/, which stands apart because libFuzzer brings its own `main`.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
    ],
    targets: cLibraries + platform + wire + sdk + programs + tools + testTargets
)
