import { exchange } from '../exchange.ts'
import type { Answer } from '../judge.ts'
import type { Transcript } from '../transcript.ts'
import { genuine, type Webhook } from '../webhooks.ts'
import type { SandboxEvent } from '../wire/inbox.ts'
import { createOpening, type Opening } from './opening.ts'
import { pause, type World } from './world.ts'

/** The tools of one check. Its transcript has every exchange. No other check uses the orders that it opens. */
export interface Bench extends Pick<World, 'probe' | 'proxy' | 'timing' | 'secret'>, Opening, Delivering {
  readonly orderIds: ReadonlySet<string>
  /** Throws when the run has ended. */
  pause(ms: number): Promise<void>
}

export function createBench(world: World, transcript: Transcript): Bench {
  const orderIds = new Set<string>()
  const { probe, proxy, timing, secret, signal } = world
  return {
    probe,
    proxy,
    timing,
    secret,
    orderIds,
    pause: (ms) => pause(ms, signal),
    ...createOpening(world, transcript, orderIds),
    ...createDelivering(world, transcript),
  }
}

/** Sends requests to the receiver. */
interface Delivering {
  send(webhook: Webhook, options?: { method?: string; note?: string }): Promise<Answer>
  /** An event with the gateway's bytes, signed now or at a given time. */
  sendGenuine(event: SandboxEvent, options?: { attempt?: number; note?: string }): Promise<Answer>
  /** Several at the same time. */
  sendTogether(webhooks: readonly Webhook[]): Promise<readonly Answer[]>
}

function createDelivering({ receiver, timing, secret, sending, signal }: World, transcript: Transcript): Delivering {
  const deliver = async ({ headers, body }: Webhook, method: string, note: string): Promise<Answer> => {
    const at = new Date().toISOString()
    const answer = await exchange(receiver, { method, headers, body }, timing.answerMs, signal)
    const line = answer.status === null ? `no answer: ${answer.error ?? ''}` : String(answer.status)
    const response = { line: `${line} after ${answer.durationMs} ms`, headers: {}, body: answer.body }
    transcript.add({ at, kind: 'webhook', note, request: { line: `${method} ${receiver.pathname}`, headers, body }, response })
    return answer
  }
  const send: Delivering['send'] = (webhook, { method = 'POST', note = '' } = {}) => sending(() => deliver(webhook, method, note))
  return {
    send,
    sendGenuine: async (event, { note = '', ...options } = {}) => send(await genuine(event, secret, options), { note }),
    sendTogether: (webhooks) =>
      sending(() => Promise.all(webhooks.map((webhook) => deliver(webhook, 'POST', 'sent with others at the same time')))),
  }
}
