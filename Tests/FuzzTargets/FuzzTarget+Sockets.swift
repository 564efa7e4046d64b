#if DEBUG
    import Foundation
    @testable import WebSockets

    extension FuzzTarget {
        /// How bytes are cut on the way must not change what they mean: behind a proxy, that is how requests are smuggled.
        static func readRequests(_ input: Data) {
            let bytes = [UInt8](input.dropFirst())
            let whole = requests(bytes, piece: max(bytes.count, 1))
            let cut = requests(bytes, piece: max(Int(input.first ?? 1), 1))
            precondition(whole == cut, "requests that came in pieces are other requests")
        }

        private static func requests(_ bytes: [UInt8], piece: Int) -> [String] {
            var parser = HTTPRequestParser(
                limits: .init(headerBytes: 1024, fields: 20, bodyBytes: 512), remoteAddress: "")
            var found: [String] = []
            for start in stride(from: 0, to: bytes.count, by: piece) {
                parser.append(bytes[start..<min(start + piece, bytes.count)])
                reading: while true {
                    switch parser.next() {
                    case .idle, .needsHead, .needsBody: break reading
                    case .awaitsContinue: continue
                    case .request(let request, let closes):
                        found.append("\(request) \([UInt8](request.body)) \(closes)")
                        if closes { return found }
                    case .failure(let response):
                        precondition(response.status >= 400, "a refusal is no refusal")
                        return found + ["refused with \(response.status)"]
                    }
                }
            }
            return found
        }

        static func readSocket(_ input: Data) {
            let bytes = [UInt8](input.dropFirst())
            for expectsMask in [true, false] {
                let whole = events(bytes, piece: max(bytes.count, 1), expectsMask: expectsMask)
                let cut = events(bytes, piece: max(Int(input.first ?? 1), 1), expectsMask: expectsMask)
                precondition(whole == cut, "frames that came in pieces are other frames")
            }
        }

        private static func events(_ bytes: [UInt8], piece: Int, expectsMask: Bool) -> [WebSocketFrameDecoder.Event] {
            var decoder = WebSocketFrameDecoder(maximumMessageBytes: 512, expectsMask: expectsMask)
            var found: [WebSocketFrameDecoder.Event] = []
            for start in stride(from: 0, to: bytes.count, by: piece) {
                decoder.append(bytes[start..<min(start + piece, bytes.count)])
                while let event = decoder.next() {
                    if case .message(.binary(let data)) = event {
                        precondition(data.count <= 512, "a message is longer than allowed")
                    }
                    found.append(event)
                }
            }
            return found
        }
    }
#endif
