import { SignatureError } from '../errors.ts'

/** Tells the merchant's program why a webhook was not handled. Never throws. */
export type Report = (error: unknown) => void

/**
 * Reports go to `onError`, by default to the warnings of the process. A warning is printed once for each reason of a refusal, because
 * anybody can send any number of forged webhooks.
 */
export function createReport(onError: ((error: unknown) => void) | undefined): Report {
  const told = new Set<string>()
  return (error) => {
    try {
      if (onError) {
        onError(error)
        return
      }
      if (error instanceof SignatureError) {
        if (told.has(error.reason)) return
        told.add(error.reason)
      }
      globalThis.process.emitWarning(error instanceof Error ? error : String(error))
    } catch {
      // The answer is the same either way.
    }
  }
}
