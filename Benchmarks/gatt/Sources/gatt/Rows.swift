import Foundation

/// Our side of the benchmark. Each line of standard input is a row and its count; the answer is the elapsed and the
/// processor seconds that it took, the latter by getrusage(2) for all threads of this process.
@main
struct Rows {
    static func main() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "gatt-\(UUID().uuidString)").path
        let client = Client(state: directory)
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard let row = words.first else { continue }
            let busy = processorSeconds()
            let began = ContinuousClock.now
            do {
                try await client.run(row, words.count > 1 ? Int(words[1]) ?? 1 : 1)
                let elapsed = (ContinuousClock.now - began) / .seconds(1)
                print("\(elapsed) \(processorSeconds() - busy)")
            } catch {
                print("failed \(error)")
            }
            fflush(nil)
        }
    }

    private static func processorSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
