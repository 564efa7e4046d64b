import Foundation
import Wire

/// What the clients of the chunked and the protected layout ask for.
extension PairingRules {
    /// Takes a frame.
    mutating func take(
        _ frame: Data, on layout: PairingLayout, from client: Client
    ) throws(Refusal) -> [Action] {
        let lane = Lane(layout: layout, client: client)
        let before = exchanges[layout]
        switch try exchanges[layout]?.receive(frame, from: client) {
        case nil: return []
        case .hello(let number, let message):
            do throws(Refusal) {
                return try hello(number, message, in: lane)
            } catch {
                exchanges[layout] = before
                throw error
            }
        case .refused(let answer): return [.send(.answer(answer), lane)]
        case .share(let kind, let share, let number): return prove(kind, share, number, in: lane)
        case .confirm(let confirmation, let number): return confirm(confirmation, number, in: lane)
        case .request(let request, let number):
            do throws(ExchangeRefusal) {
                let actions = try perform(request, in: lane)
                return [answer(number, in: lane)] + actions
            } catch {
                return [answer(number, error, in: lane)]
            }
        }
    }

    private func answer(_ number: UInt8, _ refusal: ExchangeRefusal? = nil, in lane: Lane) -> Action {
        .send(
            .answer(
                ExchangeAnswer.Acknowledgement(message: number, refusal: refusal?.reason, field: refusal?.field)), lane)
    }

    private mutating func hello(_ number: UInt16, _ message: Data, in lane: Lane) throws(Refusal) -> [Action] {
        guard tries.isOpen else { throw .locked }
        let proving = exchanges[lane.layout]?.proving(lane.client)
        let welcome = ExchangeWelcome(
            info: info, deviceID: deviceID, state: state,
            stretching: lane.layout == .protected ? verifiers?.stretching : nil)
        try exchanges[lane.layout]?.begin(number, with: lane.client, hello: message, welcome: welcome)
        let lost = proving == .setupCode ? lostTry() : []
        return [.drop(lane), .send(.welcome(welcome), lane)] + lost
    }

    private mutating func perform(_ request: ExchangeRequest, in lane: Lane) throws(ExchangeRefusal) -> [Action] {
        guard tries.isOpen else { throw ExchangeRefusal(.locked) }
        switch request {
        case .state:
            return [.send(.state(state), lane)]
        case .scan:
            guard machine.isOpen else { throw ExchangeRefusal(.busy) }
            return [.scan(lane)]
        case .credentials(let fields):
            do throws(Refusal) {
                try machine.admit(lane.client)
            } catch {
                throw ExchangeRefusal(error)
            }
            return performed(machine.apply(try StagedFields.credentials(from: fields)))
        case .hello, .share, .confirm, .sealed:
            throw ExchangeRefusal(.unknownCommand)
        }
    }

    // MARK: The key of the protected layout

    private mutating func prove(
        _ kind: ExchangeRequest.PasswordKind, _ share: Data, _ number: UInt8, in lane: Lane
    ) -> [Action] {
        // What waits was for the key before.
        var actions: [Action] = [.drop(lane)]
        if exchanges[lane.layout]?.proving(lane.client) == .setupCode {
            exchanges[lane.layout]?.forgetProof(of: lane.client)
            actions += lostTry()
        }
        // Others may have spent all tries, and not shown yet whether they were right.
        if kind == .setupCode, tries.isOpen, tries.left <= 0 { actions += lock() }
        do throws(ExchangeRefusal) {
            guard tries.isOpen else { throw ExchangeRefusal(.locked) }
            guard machine.isOpen else { throw ExchangeRefusal(.busy) }
            guard let verifiers else { throw ExchangeRefusal(.unknownCommand) }
            guard kind == .setupCode || !info.capabilities.contains(.insistsOnSetupCode) else {
                throw ExchangeRefusal(.setupCodeRequired)
            }
            guard
                let answer = try? exchanges[lane.layout]?.prove(
                    share, by: verifiers[kind], with: randomness, to: lane.client)
            else {
                throw ExchangeRefusal(.value)
            }
            if kind == .setupCode { tries.spend() }
            return actions + [.send(answer, lane)]
        } catch {
            return actions + [answer(number, error, in: lane)]
        }
    }

    private mutating func confirm(_ confirmation: Data, _ number: UInt8, in lane: Lane) -> [Action] {
        guard tries.isOpen else { return [answer(number, ExchangeRefusal(.locked), in: lane)] }
        guard let kind = exchanges[lane.layout]?.proving(lane.client) else {
            return [answer(number, ExchangeRefusal(.noSession), in: lane)]
        }
        do {
            try exchanges[lane.layout]?.confirm(confirmation, by: lane.client)
        } catch {
            let answer = answer(number, ExchangeRefusal(.wrongSetupCode), in: lane)
            return [answer] + (kind == .setupCode ? lostTry() : [])
        }
        if kind == .setupCode { tries.succeed() }
        return [answer(number, in: lane)]
    }

    /// A try of the setup code is lost.
    mutating func lostTry() -> [Action] {
        let left = max(tries.left, 0)
        return [.note(.wrongSetupCode(triesLeft: left))] + (left == 0 && tries.isOpen ? lock() : [])
    }

    private mutating func lock() -> [Action] {
        let timer = tries.lock()
        exchanges[.protected]?.forgetProofs()
        let actions = performed(machine.release()) + [.advertise]
        guard let timer else { return actions + [.note(.ended)] }
        return actions + [.startLockTimer(timer), .note(.locked(SetupCodeTries.lockDuration))]
    }
}
