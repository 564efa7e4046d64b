#if DEBUG
    @testable import CoreBluetooth
    import Foundation

    extension FuzzTarget {
        static func readRadio(_ input: Data) {
            var decoder = FrameDecoder()
            decoder.append([UInt8](input))
            while let frame = try? decoder.next() {
                let encoded = frame.encoded
                let again = try? RadioFrame(kind: encoded[2], content: encoded[3...])
                precondition(again == frame, "a frame of the radio changed when it was written and read")
                switch frame {
                case .att(let packet): readPacket(packet)
                case .advertisement(let packet, let isConnectable, _):
                    _ = packet.advertisement(isConnectable: isConnectable)
                default: break
                }
            }
            readPacket(input)
            // Longer than a radio lets through: the reader must not rely on it.
            let half = input.count / 2
            _ = AdvertisementPacket(advertising: input.prefix(half), scanResponse: input.dropFirst(half))
                .advertisement(isConnectable: true)
        }

        private static func readPacket(_ bytes: Data) {
            guard let packet = try? ATTPacket(bytes) else { return }
            let again = try? ATTPacket(packet.encoded)
            precondition(again == packet, "an ATT packet changed when it was written and read")
        }
    }
#endif
