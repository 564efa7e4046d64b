#if DEBUG
    import Foundation
    import Wire

    extension FuzzTarget {
        /// Both halves of the protected layout with a stranger in between. Input: what the stranger does (1 byte), its bytes.
        static func readProtected(_ input: Data) {
            let bytes = Data(input.dropFirst())
            let stranger = StrangerInBetween(hasCode: (input.first ?? 0) & 0x80 == 0)
            switch (input.first ?? 0) & 0x07 {
            case 0: stranger.changesWelcome(to: bytes)
            case 1: stranger.changesHello(to: bytes)
            case 2: stranger.playsClient(bytes)
            case 3: stranger.playsCamera(bytes)
            case 4: readVerifier(bytes)
            default: stranger.hasChannels(bytes)
            }
        }

        private static func readVerifier(_ bytes: Data) {
            guard let verifier = try? PasswordVerifier(decoding: bytes) else { return }
            precondition(verifier.encoded == bytes, "a verifier changed when it was read and written")
        }
    }

    /// A client, a camera, and what must hold whatever comes between them.
    private struct StrangerInBetween {
        private static let id = DeviceID(rawValue: "PLC0123456789ABCDEFGHJKMNPQ")
        private static let code = try? SetupCode("13572468")
        // Arrays, not `Data`: the leak check does not see the memory of a `Data` that stays for good.
        private static let verifiers = [nil, code].map { [UInt8](verifier(of: $0).encoded) }
        private static let welcome = [UInt8](makeWelcome())

        private let hello = ExchangeRequest.hello(conversation: 0xA1B2).encoded
        private let welcome = Data(Self.welcome)
        private let code: SetupCode?
        private let verifier: PasswordVerifier

        init(hasCode: Bool) {
            code = hasCode ? Self.code : nil
            guard let verifier = try? PasswordVerifier(decoding: Data(Self.verifiers[hasCode ? 1 : 0])) else {
                preconditionFailure("a verifier that was written cannot be read")
            }
            self.verifier = verifier
        }

        /// As cheap as a client accepts, so that many inputs can be tried.
        private static var stretching: ExchangeWelcome.Stretching {
            ExchangeWelcome.Stretching(salt: Data(0..<16), logN: 10, r: 1, p: 1)
        }

        private static func verifier(of code: SetupCode?) -> PasswordVerifier {
            guard let made = try? PasswordVerifier(code: code, stretching: stretching, deviceID: id) else {
                preconditionFailure("no verifier can be made")
            }
            return made
        }

        private static func makeWelcome() -> Data {
            let welcome = ExchangeWelcome(
                info: PairingInfo(layouts: .protected, capabilities: .setupCode, model: "fuzz"), deviceID: id,
                state: PairingState(phase: .waiting), stretching: stretching)
            guard let bytes = try? ExchangeAnswer.welcome(welcome).encoded(for: 0xA1B2) else {
                preconditionFailure("no welcome can be written")
            }
            return bytes
        }

        private func client(
            _ random: inout some RandomNumberGenerator, hearing heard: Data? = nil
        ) -> ProtectedClientHandshake? {
            try? ProtectedClientHandshake(hello: hello, welcome: heard ?? welcome, code: code, using: &random)
        }

        private func camera(
            _ random: inout some RandomNumberGenerator, hearing heard: Data? = nil, share: Data,
            saying said: Data? = nil
        ) -> ProtectedCameraHandshake? {
            try? ProtectedCameraHandshake(
                hello: heard ?? hello, welcome: said ?? welcome, share: share, verifier: verifier, using: &random)
        }

        /// The client hears another welcome than the camera said.
        func changesWelcome(to heard: Data) {
            // A dear one is accepted, and not worth the time of a fuzzer.
            if case .welcome(let decoded)? = (try? ExchangeAnswer.addressed(decoding: heard))?.answer,
                let stretching = decoded.stretching, stretching.logN > 10 || stretching.r > 2 || stretching.p > 2
            {
                return
            }
            var random = Words()
            guard var client = client(&random, hearing: heard) else { return }
            guard let camera = camera(&random, share: client.shareBytes) else {
                preconditionFailure("a camera did not take an honest share")
            }
            let (share, confirmation) = camera.answerBytes
            let agreed = (try? client.finish(share: share, confirmation: confirmation)) != nil
            precondition(agreed == (heard == welcome), "a changed welcome was not found out")
        }

        /// The camera hears another hello than the client said; the welcome is changed back on its way.
        func changesHello(to heard: Data) {
            var random = Words()
            guard heard.count >= 4, var client = client(&random) else { return }
            var said = welcome
            said.replaceSubrange(1..<3, with: heard.dropFirst(2).prefix(2))
            guard let camera = camera(&random, hearing: heard, share: client.shareBytes, saying: said) else { return }
            let (share, confirmation) = camera.answerBytes
            let agreed = (try? client.finish(share: share, confirmation: confirmation)) != nil
            precondition(agreed == (heard == hello), "a changed hello was not found out")
        }

        /// A share out of nowhere, and as many proofs as there are bytes for: one of them is heard, and it is wrong.
        func playsClient(_ bytes: Data) {
            var random = Words()
            guard var camera = camera(&random, share: Data(bytes.prefix(65))) else { return }
            precondition(bytes.count >= 65, "a share of another length was taken")
            let first = try? camera.finish(confirmation: Data(bytes.dropFirst(65).prefix(32)))
            let second = try? camera.finish(confirmation: camera.answerBytes.confirmation)
            precondition(first == nil && second == nil, "a camera took a stranger for its client")
        }

        /// An answer out of nowhere, and the honest one after it.
        func playsCamera(_ bytes: Data) {
            var random = Words()
            guard var client = client(&random), let camera = camera(&random, share: client.shareBytes) else {
                preconditionFailure("an honest handshake did not begin")
            }
            let (share, confirmation) = camera.answerBytes
            let first = try? client.finish(
                share: Data(bytes.prefix(65)), confirmation: Data(bytes.dropFirst(65).prefix(32)))
            let second = try? client.finish(share: share, confirmation: confirmation)
            precondition(first == nil && second == nil, "a client took a stranger for its camera")
        }

        /// A session whose messages pass through the stranger's hands. Each byte is a deed: who seals (bit 0), and what
        /// becomes of it (bits 1 to 3); the next byte is of use to some.
        func hasChannels(_ bytes: Data) {
            var random = Words()
            guard var client = client(&random), var camera = camera(&random, share: client.shareBytes) else {
                preconditionFailure("an honest handshake did not begin")
            }
            let (share, confirmation) = camera.answerBytes
            guard
                let (confirm, own) = try? client.finish(share: share, confirmation: confirmation),
                case .confirm(let proof) = confirm, let other = try? camera.finish(confirmation: proof)
            else { preconditionFailure("honest sides did not agree") }

            var ends = [Line(own), Line(other)]
            var rest = bytes[...]
            while let deed = rest.popFirst() {
                let from = Int(deed & 1)
                let value = rest.first ?? 0
                switch deed >> 1 & 7 {
                case 0, 1: ends[from].seal(Data(repeating: value, count: Int(value)))
                case 2, 3: ends[1 - from].hear(ends[from].next)
                case 4: ends[1 - from].hear(ends[from].sealed[at: Int(value)])
                case 5:
                    guard var changed = ends[from].next, let place = changed.indices.randomElement(using: &random)
                    else { continue }
                    changed[place] ^= max(value, 1)
                    ends[1 - from].hear(changed)
                case 6: ends[from].hear(ends[from].sealed[at: Int(value)])
                default: ends[1 - from].hear(Data(rest.prefix(Int(value))))
                }
                for index in 0...1 { ends[index].check(against: ends[1 - index]) }
            }
        }
    }

    /// One end of a session, with what it said and what it took from the other.
    private struct Line {
        private var channel: SealedChannel
        private var said: [Data] = []
        private var taken: [Data] = []
        /// Everything sealed so far.
        private(set) var sealed: [Data] = []
        private var delivered = 0

        init(_ channel: SealedChannel) { self.channel = channel }

        /// What was sealed and not yet asked for.
        var next: Data? {
            mutating get {
                defer { if delivered < sealed.count { delivered += 1 } }
                return sealed[at: delivered]
            }
        }

        mutating func seal(_ message: Data) {
            guard let bytes = try? channel.seal(message) else {
                precondition(!channel.isOpen, "an open channel did not seal")
                return
            }
            precondition(!sealed.contains(bytes), "a number served twice")
            said.append(message)
            sealed.append(bytes)
        }

        mutating func hear(_ bytes: Data?) {
            guard let bytes else { return }
            let wasOpen = channel.isOpen
            guard let message = try? channel.open(bytes) else {
                precondition(!channel.isOpen, "a channel went on after a message that did not open")
                return
            }
            precondition(wasOpen, "a channel that had ended opened a message")
            taken.append(message)
        }

        /// What this end took is what the other said, from the first message on and without a gap.
        func check(against other: Line) {
            precondition(taken.elementsEqual(other.said.prefix(taken.count)), "a message was taken that nobody said")
        }
    }

    /// SplitMix64: the same input does the same each time.
    private struct Words: RandomNumberGenerator {
        private var state: UInt64 = 4

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    extension Array {
        fileprivate subscript(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
    }

    extension ProtectedClientHandshake {
        fileprivate var shareBytes: Data { if case .share(_, let share) = share { share } else { Data() } }
    }

    extension ProtectedCameraHandshake {
        fileprivate var answerBytes: (share: Data, confirmation: Data) {
            if case .share(let share, let confirmation) = answer { (share, confirmation) } else { (Data(), Data()) }
        }
    }
#endif
