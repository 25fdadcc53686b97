/** Tells the merchant's program about an error; by default as a warning of the process. Never throws. */
export function report(error: unknown, onError: ((error: unknown) => void) | undefined): void {
  try {
    if (onError) onError(error)
    else globalThis.process.emitWarning(error instanceof Error ? error : String(error))
  } catch {
    // The answer is 500 either way.
  }
}
