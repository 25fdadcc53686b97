import { setTimeout as sleep } from 'node:timers/promises'
import type { Gateway } from '@gateway/sdk'
import type { Timing } from '../timing.ts'
import type { Inbox } from '../wire/inbox.ts'
import type { Probe } from '../wire/probe.ts'
import type { Proxy } from '../wire/proxy.ts'

/** The tools that all checks share. */
export interface World {
  readonly gateway: Gateway
  readonly receiver: URL
  /** `undefined`: effects are not observed. */
  readonly probe: Probe | undefined
  readonly proxy: Proxy
  readonly inbox: Inbox
  readonly secret: string
  readonly timing: Timing
  /** One order is opened at a time, so that each create belongs to the check that caused it. */
  readonly opening: Lock
  /** One webhook is sent at a time, so that certify does not overload a slow receiver. */
  readonly sending: Lock
  /** Aborted when the run ends, also by an error: nothing more is sent, and every wait ends. */
  readonly signal: AbortSignal
}

/** Waits; throws when the run has ended. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal })
}

/** The test instance is not configured as `pgw certify --help` describes. */
export class SetupError extends Error {}

/** Runs one piece of work at a time, in the order of the calls. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>

export function createLock(): Lock {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const started = last.then(work)
    last = started.catch(() => undefined)
    return started
  }
}
