import CoreBluetooth
import Foundation
import Glibc
import TestSupport
import Testing

/// Central and peripheral in processes of their own: the exit test's child is the peripheral.
@Suite(
    "Two processes", .softwareRadio(because: "bluetoothd keeps the link of a program that was killed"),
    .timeLimit(.minutes(2)))
struct TwoProcessTests {
    @Test("a peripheral in another process is found, used, and missed when it is killed")
    func killed() async throws {
        let air = try SoftwareAirFixture()
        async let child: ExitTest.Result? = #expect(processExitsWith: .signal(SIGKILL)) {
            [radio = air.radio.path as String] in
            let sample = SampleService()
            let camera = PeripheralProbe([
                CBManagerOptionRadioDirectoryKey: radio, CBManagerOptionStateDirectoryKey: radio + "-state",
            ])
            try await camera.expectState(.poweredOn)
            try await camera.add(sample.service)
            try await camera.advertise("elsewhere", services: [SampleService.uuid])
            while try await camera.nextWrite().first?.value != Data("die".utf8) {}
            kill(getpid(), SIGKILL)
        }
        let app = try await CentralProbe.ready(air)
        let peripheral = try await app.find("elsewhere", services: [SampleService.uuid])
        try await app.connect(peripheral)
        try await app.discoverAll(peripheral)
        let characteristics = try #require(peripheral.services?.first?.characteristics)
        #expect(try await app.read(characteristics[0]) == Data("Porchlight".utf8))
        try await app.write(Data(repeating: 1, count: 512), to: characteristics[1])
        peripheral.writeValue(Data("die".utf8), for: characteristics[2], type: .withoutResponse)
        #expect(try await app.expectDisconnected(peripheral) as? CBError == CBError(.connectionTimeout))
        _ = await child
        // Its advertisement went with it: a new scan finds the one that lives, and only that.
        let camera = try await PeripheralProbe.ready(air)
        try await camera.advertise("alive")
        app.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        for _ in 0..<3 {
            let name = try await app.events.next("a discovery") { event in
                if case .discovered(_, let heard) = event { heard.name } else { nil }
            }
            #expect(name == "alive")
        }
    }
}
