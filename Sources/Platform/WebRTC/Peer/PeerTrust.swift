internal import Basics

/// Whether the peer has shown the certificate that its description promised.
///
/// Asked before the first frame, message or 'connected' leaves this module, and answered once. State is behind a lock.
final class PeerTrust: Sendable {
    private struct State {
        var expected: SessionDescription.Fingerprint?
        var transceivers: [OwnedObject] = []
        var answer: Bool?
    }

    private let state = Locked(State())

    /// Says what to expect, and through which transceivers the transport is reached.
    func expect(_ fingerprint: SessionDescription.Fingerprint?, transceivers: [OwnedObject]) {
        state.withLock { state in
            if let fingerprint { state.expected = fingerprint }
            state.transceivers = transceivers
        }
    }

    /// Whether the certificate is right. Asked before the handshake is over, it is not.
    func holds(for bin: WebRTCBin) -> Bool {
        let (answer, expected, transceivers) = state.withLock { ($0.answer, $0.expected, $0.transceivers) }
        if let answer { return answer }
        guard let expected, let certificate = bin.remoteCertificate(transceivers: transceivers) else { return false }
        let holds = CertificateCheck.holds(certificate, expected)
        state.withLock { $0.answer = holds }
        return holds
    }

    /// Gives the transceivers back.
    func forget() { state.withLock { $0.transceivers = [] } }
}
