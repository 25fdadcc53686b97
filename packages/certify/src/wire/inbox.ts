import { setTimeout as sleep } from 'node:timers/promises'
import { fieldsOf } from '../json.ts'

/** A copy of a webhook, as `pgw listen` gets it. */
export interface Copy {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An event of the sandbox, which certify keeps until a check sends it. */
export interface SandboxEvent {
  readonly id: string
  readonly orderId: string
  readonly sequence: number
  readonly status: string
  readonly body: string
}

/** Events by order. The receiver gets none of them unless a check sends it. */
export type Inbox = ReturnType<typeof createInbox>

const POLL_MS = 50

export function createInbox() {
  const events = new Map<string, SandboxEvent[]>()
  return {
    add({ headers, body }: Copy): void {
      const { merchantTxnId, status } = fieldsOf(body)
      const [orderId, id] = [String(merchantTxnId), headers['webhook-id'] ?? '']
      const event = { id, orderId, sequence: Number(headers['webhook-sequence'] ?? 0), status: String(status), body }
      events.set(orderId, [...(events.get(orderId) ?? []), event])
    },
    /**
     * Waits for an event with this status and returns the order's events up to it, by sequence. Throws after `timeoutMs`, and when
     * the signal is aborted.
     */
    async until(orderId: string, status: string, timeoutMs: number, signal?: AbortSignal): Promise<readonly SandboxEvent[]> {
      const endsAtMs = performance.now() + timeoutMs
      for (;;) {
        const arrived = events.get(orderId) ?? []
        const whole = wholeUpTo(arrived, status)
        if (whole) return whole
        if (performance.now() > endsAtMs)
          throw new Error(`The sandbox sent no event with the status ${status} for ${orderId} within ${timeoutMs / 1000} s`)
        await sleep(POLL_MS, undefined, signal && { signal })
      }
    },
  }
}

/** The events up to the wanted one, by sequence; `undefined` while one is missing, because events may arrive in any order. */
function wholeUpTo(events: readonly SandboxEvent[], status: string): SandboxEvent[] | undefined {
  const wanted = events.find((event) => event.status === status)
  if (!wanted) return undefined
  const upTo = events.filter(({ sequence }) => sequence <= wanted.sequence)
  return upTo.length === wanted.sequence ? upTo.toSorted((one, other) => one.sequence - other.sequence) : undefined
}
