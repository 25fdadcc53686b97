/** What a service does for its memory, besides the limits that Node is started with. */
import { setFlagsFromString } from 'node:v8'

/** The largest budget that V8 takes: bytes of WebAssembly that run before V8 compiles it again. */
const NEVER = 2 ** 31 - 1

/**
 * Leaves WebAssembly as V8 compiles it first. Only undici's HTTP parser is WebAssembly here. The optimizing compiler costs 10 MiB
 * that V8 keeps, and a request is not faster with its code.
 */
export function keepWasmUnoptimized(): void {
  setFlagsFromString(`--wasm-tiering-budget=${NEVER}`)
}

/**
 * Gives back what only the start needed: sources, and code of modules that ran once. V8 would keep it until memory is scarce.
 * Stops the process for some 50 ms, once, so it is called before a service has much to do. Needs `--expose-gc`, else does nothing.
 */
export function releaseStartMemory(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
