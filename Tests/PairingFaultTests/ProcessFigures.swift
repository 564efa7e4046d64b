import Foundation
import Glibc

/// What this process holds of the machine.
struct ProcessFigures: CustomStringConvertible {
    struct Unreadable: Error {}

    /// Open descriptors.
    var descriptors: Int
    /// Bytes that were allocated and not freed, in all arenas.
    var heapBytes: Int
    /// Pages in memory, in bytes.
    var residentBytes: Int

    var description: String {
        "\(descriptors) descriptors, \(heapBytes / 1024) KiB allocated, \(residentBytes / 1024) KiB resident"
    }

    /// Now, with what is free given back.
    static func settled() throws -> ProcessFigures {
        _ = try allocator("malloc_trim", as: (@convention(c) (Int) -> CInt).self)(0)
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { throw Unreadable() }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        return ProcessFigures(
            descriptors: descriptors, heapBytes: try allocatedBytes(), residentBytes: pages * Int(getpagesize()))
    }

    /// From malloc_info(3): what the arenas have of the system, without what is free in them, and what was mapped apart.
    private static func allocatedBytes() throws -> Int {
        var text: UnsafeMutablePointer<CChar>?
        var length = 0
        guard let file = open_memstream(&text, &length) else { throw Unreadable() }
        let tell = try allocator("malloc_info", as: (@convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt).self)
        let status = tell(0, file)
        fclose(file)
        defer { free(text) }
        guard status == 0, let text else { throw Unreadable() }
        // The last of each kind is the total of all arenas.
        let lines = String(cString: text).split(separator: "\n")
        func total(_ beginning: String) throws -> Int {
            guard let line = lines.last(where: { $0.hasPrefix(beginning) }),
                let start = line.range(of: "size=\"")?.upperBound,
                let size = Int(line[start...].prefix { $0.isNumber })
            else { throw Unreadable() }
            return size
        }
        return try total("<system type=\"current\"") - total("<total type=\"fast\"") - total("<total type=\"rest\"")
            + total("<total type=\"mmap\"")
    }

    /// A function of glibc's <malloc.h>, which the module Glibc leaves out.
    private static func allocator<Function>(_ name: String, as type: Function.Type) throws -> Function {
        guard let address = dlsym(nil, name) else { throw Unreadable() }
        return unsafeBitCast(address, to: type)
    }
}
