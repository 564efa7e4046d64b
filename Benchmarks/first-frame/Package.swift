// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "FirstFrame",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "Porchlight", path: "../..")],
    targets: [
        .executableTarget(
            name: "first-frame",
            dependencies: [
                .product(name: "Porchlight", package: "Porchlight"),
                .product(name: "CloudServer", package: "Porchlight"),
                .product(name: "CameraDevice", package: "Porchlight"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
