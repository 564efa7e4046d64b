// Most decoders are internal to their modules, and only a debug build lets a test see them.
#if DEBUG
    public import Foundation
    import Wire

    /// A family of decoders that takes bytes from outside, with what must hold for every input.
    ///
    /// `Fuzz/` feeds each with what libFuzzer invents; `FuzzTargetsTests` feeds each with the inputs kept in `Fuzz/Corpus`.
    /// The name is that of the executable and of the corpus folder. A property that does not hold ends the process.
    public enum FuzzTarget: String, CaseIterable, Sendable {
        /// Characteristic values that carry pieces of messages. Input: length (1 byte), value, and so on.
        case frames
        /// The short values of the pairing service: network records, info, state.
        case records
        /// The text of a pairing code.
        case codes
        /// JSON of the cloud, the sockets and the data channel. Input: which type (1 byte), text.
        case messages
        /// What the software radio reads from another process: frames, ATT packets, advertisements.
        case radio
        /// Session descriptions and ICE candidates. Input: text.
        case descriptions
        /// Requests on a connection of the cloud. Input: size of the pieces in which they come (1 byte), bytes.
        case requests
        /// Frames on a WebSocket. Input: size of the pieces in which they come (1 byte), bytes.
        case sockets
        /// Type signatures of D-Bus. Input: text.
        case signatures
        /// The properties of Bluetooth devices, attributes and Wi-Fi stations. Input: as ``BusValueMaker`` reads it.
        case objects
        /// The kernel's messages about addresses (netlink).
        case routes
        /// Values of an Improv device, and commands to one. Input: length (1 byte), value, and so on.
        case improv
        /// The messages of the chunked and the protected layout, whole.
        case exchanges
        /// The protected layout with a stranger in between. Input: what it does (1 byte), its bytes.
        case protected

        /// Decodes `input` in every way that the family knows.
        public func run(_ input: Data) {
            switch self {
            case .frames: Self.readFrames(input)
            case .records: Self.readRecords(input)
            case .codes: Self.readCode(input)
            case .messages: Self.readMessage(input)
            case .radio: Self.readRadio(input)
            case .descriptions: Self.readDescription(input)
            case .requests: Self.readRequests(input)
            case .sockets: Self.readSocket(input)
            case .signatures: Self.readSignature(input)
            case .objects: Self.readObjects(input)
            case .routes: Self.readRoutes(input)
            case .improv: Self.readImprov(input)
            case .exchanges: Self.readExchanges(input)
            case .protected: Self.readProtected(input)
            }
        }

        private static func readFrames(_ input: Data) {
            var reassembler = FrameReassembler()
            var rest = input[...]
            while let length = rest.popFirst() {
                let value = Data(rest.prefix(Int(length)))
                rest = rest.dropFirst(Int(length))
                if let frame = try? Frame(decoding: value) {
                    let again = try? Frame(decoding: frame.encoded)
                    precondition(again == frame, "a frame changed when it was written and read")
                }
                receive(value, by: &reassembler)
            }

            let limit = Frame.minimumBytes + Int(input.first ?? 0)
            guard let frames = try? Frame.split(input, message: 1, limit: limit) else { return }
            var whole = FrameReassembler()
            let messages = frames.compactMap { try? whole.receive($0.encoded) }
            precondition(messages == [input], "a message changed when it was split and put together")
        }

        private static func receive(_ value: Data, by reassembler: inout FrameReassembler) {
            let before = reassembler.position
            do throws(WireError) {
                let message = try reassembler.receive(value)
                precondition(message?.count ?? 0 <= Frame.maximumMessageBytes, "a message is longer than allowed")
            } catch .frameOrder {
                precondition(reassembler.position == before, "a frame that was ahead moved the message under way")
            } catch {
                precondition(reassembler.position.progress != .underWay, "a broken message is still under way")
            }
            let position = try? ExchangePosition(decoding: reassembler.position.encoded)
            precondition(position == reassembler.position, "a position changed when it was written and read")
        }

        private static func readRecords(_ input: Data) {
            if let record = try? NetworkListRecord(decoding: input) {
                precondition((try? record.encoded()) == input, "a record changed when it was read and written")
            }
            if let info = try? PairingInfo(decoding: input) {
                precondition((try? info.encoded()) == input, "an info changed when it was read and written")
            }
            if let state = try? PairingState(decoding: input) {
                precondition(state.encoded() == input, "a state changed when it was read and written")
            }
            if let advertisement = PairingAdvertisement(manufacturerData: input) {
                // Of the first cameras' six bytes, seven are made.
                let written = advertisement.manufacturerData.prefix(input.count)
                precondition(input.starts(with: written), "an advertisement changed when it was read and written")
            }
        }

        private static func readCode(_ input: Data) {
            guard let credentials = try? QRPayload.decode(input) else { return }
            guard let text = try? QRPayload.encode(credentials).revealed else {
                preconditionFailure("credentials that a code gave cannot be written as one")
            }
            let again = try? QRPayload.decode(Data(text.utf8))
            precondition(again == credentials, "credentials changed when they were written and read")
        }

        private static func readMessage(_ input: Data) {
            let text = Data(input.dropFirst())
            let readers: [(Data) -> Void] = [
                survives(CameraSocketMessage.self), survives(CloudSocketMessage.self),
                survives(DeviceRegistration.self),
                survives(DeviceRegistrationReceipt.self), survives(PairingFailureReport.self),
                survives(PairingSessionKeyRequest.self), survives(PairingSessionKeyModel.self),
                survives(PairingSessionStatusRequest.self), survives(PairingSessionStatus.self),
                survives(DeviceModel.self), survives(APIError.self), readDataChannelMessage,
            ]
            readers[Int(input.first ?? 0) % readers.count](text)
        }

        private static func survives<Message: Codable & Equatable>(_ type: Message.Type) -> (Data) -> Void {
            { text in
                guard let message = try? JSONDecoder().decode(type, from: text) else { return }
                guard let written = try? JSONEncoder().encode(message) else {
                    preconditionFailure("a \(type) that was read cannot be written")
                }
                let again = try? JSONDecoder().decode(type, from: written)
                precondition(again == message, "a \(type) changed when it was written and read")
            }
        }

        private static func readDataChannelMessage(_ text: Data) {
            guard let message = DataChannelMessage(decoding: text) else { return }
            let again = DataChannelMessage(decoding: message.encoded())
            precondition(again == message, "a data channel message changed when it was written and read")
        }
    }
#endif
