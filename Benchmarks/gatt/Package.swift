// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "GATT",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "Porchlight", path: "../..")],
    targets: [
        .executableTarget(
            name: "gatt",
            dependencies: [.product(name: "CoreBluetooth", package: "Porchlight")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
