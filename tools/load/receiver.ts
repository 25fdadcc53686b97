import { setTimeout as sleep } from 'node:timers/promises'
import type { KeyAndCertificate } from '@gateway/testkit/certificates'
import { openProgram } from './program.ts'
import type { ReceiverAnswer, ReceiverCommand, ReceiverCounts } from './receiver-program.ts'
import type { Arrival } from './statistics.ts'

/** The merchants' webhook servers, in a process of their own. */
export interface Receiver {
  /** Where each endpoint wants its webhooks. */
  readonly urls: readonly string[]
  counts(): Promise<ReceiverCounts>
  /** Those of `eventIds` that have not arrived since the last `take`. */
  missing(eventIds: readonly string[]): Promise<readonly string[]>
  /** Every arrival since the last call, in order; counting begins anew. */
  take(): Promise<readonly Arrival[]>
  /** From now on these endpoints never answer; all others do. */
  hang(endpoints: readonly number[]): Promise<void>
  close(): Promise<void>
}

/** @param ca signs the certificate of the servers */
export async function openReceiver(ca: KeyAndCertificate, endpoints = 1): Promise<Receiver> {
  const program = openProgram<ReceiverCommand, ReceiverAnswer>(`${import.meta.dirname}/receiver-program.ts`)
  const { urls } = await program.call({ kind: 'listen', ca, endpoints })
  return {
    urls,
    counts: () => program.call({ kind: 'count' }),
    missing: async (eventIds) => (await program.call({ kind: 'missing', eventIds })).missing,
    take: async () => (await program.call({ kind: 'take' })).arrivals,
    async hang(hanging) {
      await program.call({ kind: 'hang', endpoints: hanging })
    },
    close: () => program.close(),
  }
}

export interface Settled {
  /** Time until every event had arrived, in milliseconds; the deadline when some had not. */
  readonly afterMs: number
  /** Events that had not arrived by the deadline. */
  readonly missing: readonly string[]
}

const LOOK_EVERY_MS = 50

/** Waits until the receiver has every one of these events, or until the deadline. */
export async function untilSettled(receiver: Receiver, eventIds: readonly string[], deadlineMs: number): Promise<Settled> {
  const startedMs = performance.now()
  for (;;) {
    const afterMs = performance.now() - startedMs
    // Counting is cheap; missing events are looked up only when the count can be complete, or at the end.
    if ((await receiver.counts()).unique >= eventIds.length || afterMs > deadlineMs) {
      const missing = await receiver.missing(eventIds)
      if (missing.length === 0 || afterMs > deadlineMs) return { afterMs, missing }
    }
    await sleep(LOOK_EVERY_MS)
  }
}
