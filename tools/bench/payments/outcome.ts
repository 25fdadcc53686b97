import type { Dispatcher } from 'undici'
import type { LoadAnswer } from './load.ts'

/** Counts what became of calls. */
export interface Outcome {
  accepted(latencyMs: number): void
  ordered(transactionId: string): void
  paid(transactionId: string): void
  refused(answer: Dispatcher.ResponseData): void
  /** There was no answer. */
  failed(error: unknown): void
  /** What was counted since it was taken last. */
  take(run: Pick<LoadAnswer, 'tookMs' | 'notSent'>): LoadAnswer
}

export function createOutcome(): Outcome {
  let counted = nothing()
  const count = (reason: string): void => {
    counted.refused[reason] = (counted.refused[reason] ?? 0) + 1
  }
  return {
    accepted: (latencyMs) => counted.latenciesMs.push(latencyMs),
    ordered: (transactionId) => counted.transactionIds.push(transactionId),
    paid: (transactionId) => counted.paidIds.push(transactionId),
    refused({ statusCode, headers }) {
      count(String(statusCode))
      if ((statusCode === 429 || statusCode === 503) && headers['retry-after'] === undefined) counted.withoutRetryAfter += 1
    },
    failed: (error) => {
      count(error instanceof Error && 'code' in error ? String(error.code) : String(error))
    },
    take(run) {
      const taken = { ...counted, ...run }
      counted = nothing()
      return taken
    },
  }
}

function nothing() {
  const [latenciesMs, transactionIds, paidIds]: [number[], string[], string[]] = [[], [], []]
  const refused: Record<string, number> = {}
  return { latenciesMs, transactionIds, paidIds, refused, withoutRetryAfter: 0 }
}
