import Foundation
import Wire

/// What only Improv devices tell.
extension PairingFlow {
    /// The device's own name is the better one to show: the advertised one has often been cut to fit.
    mutating func named(_ name: String) -> [Action] {
        guard link.isOpen, let camera = link.camera else { return [] }
        cameras.rename(camera, to: name)
        published.cameraList = cameras.sorted
        return []
    }

    mutating func networksPaused() -> [Action] { link.isOpen ? [.start(.pause, limits.pause)] : [] }

    /// Not a failure: the person types the network's name.
    mutating func networksUnavailable() -> [Action] {
        guard link.isOpen else { return [] }
        published.wifiListUnavailable = true
        published.wifiListComplete = true
        return [.stop(.networks), .stop(.list)]
    }

    mutating func buttonPress(_ awaited: Bool) -> [Action] {
        guard link.isOpen else { return [] }
        let wasAwaited = published.buttonPressAwaited
        published.buttonPressAwaited = awaited
        guard case .writing = link, awaited != wasAwaited else { return [] }
        return limitWriting()
    }

    mutating func pageTold(_ page: URL) -> [Action] {
        switch link {
        case .writing, .joining: published.onboardingPage = page
        default: break
        }
        return []
    }

    /// The time that credentials may take from now on: a person walks to the camera, a camera only answers.
    func limitWriting() -> [Action] {
        published.buttonPressAwaited
            ? [.stop(.write), .start(.button, limits.button)]
            : [.start(.write, limits.write)]
    }
}
