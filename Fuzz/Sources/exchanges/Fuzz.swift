import Foundation
import FuzzTargets

/// What libFuzzer calls for each input it invents.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.exchanges.run(Data(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
