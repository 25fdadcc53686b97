/** What a service does for its memory, besides the limits that Node is started with. */
import { setFlagsFromString } from 'node:v8'

/** V8's largest tiering budget: roughly the bytes of WebAssembly that run before V8 optimizes a function. */
const NEVER = 2 ** 31 - 1

/**
 * Keeps V8 from optimizing WebAssembly. A running service uses it only in undici's HTTP parser, which is no faster when optimized,
 * and the optimizing compiler keeps 10 MiB.
 */
export function keepWasmUnoptimized(): void {
  setFlagsFromString(`--wasm-tiering-budget=${NEVER}`)
}

/**
 * Releases the memory that only the start needed (sources, code that ran once), which V8 would keep until memory is scarce.
 * Blocks the process once, for about 50 ms, when it already listens. Does nothing without `--expose-gc`.
 */
export function releaseStartMemory(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
