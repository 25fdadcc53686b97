import { exchange } from '../exchange.ts'
import type { Answer } from '../judge.ts'
import type { Transcript } from '../transcript.ts'
import { genuine, type Webhook } from '../webhooks.ts'
import type { SandboxEvent } from '../wire/inbox.ts'
import { createOpening } from './opening.ts'
import { pause, type World } from './world.ts'

/** The tools of one check. Its transcript has every exchange. No other check uses the orders that it opens. */
export type Bench = ReturnType<typeof createBench>

export function createBench(world: World, transcript: Transcript) {
  const orderIds = new Set<string>()
  const { probe, proxy, timing, secret, signal } = world
  return {
    probe,
    proxy,
    timing,
    secret,
    orderIds,
    /** Throws when the run has ended. */
    pause: (ms: number) => pause(ms, signal),
    ...createOpening(world, transcript, orderIds),
    ...createDelivering(world, transcript),
  }
}

/** Sends requests to the receiver. */
function createDelivering({ receiver, timing, secret, sending, signal }: World, transcript: Transcript) {
  const deliver = async ({ headers, body }: Webhook, method: string, note: string): Promise<Answer> => {
    const at = new Date().toISOString()
    const answer = await exchange(receiver, { method, headers, body }, timing.answerMs, signal)
    const line = answer.status === null ? `no answer: ${answer.error ?? ''}` : String(answer.status)
    const response = { line: `${line} after ${answer.durationMs} ms`, headers: {}, body: answer.body }
    transcript.add({ at, kind: 'webhook', note, request: { line: `${method} ${receiver.pathname}`, headers, body }, response })
    return answer
  }
  const send = (webhook: Webhook, { method = 'POST', note = '' } = {}): Promise<Answer> =>
    sending(() => deliver(webhook, method, note))
  return {
    send,
    /** An event with the gateway's bytes, signed now. */
    sendGenuine: async (event: SandboxEvent, { attempt = 1, note = '' } = {}): Promise<Answer> =>
      send(await genuine(event, secret, { attempt }), { note }),
    /** Several at the same time. */
    sendTogether: (webhooks: readonly Webhook[]): Promise<readonly Answer[]> =>
      sending(() => Promise.all(webhooks.map((webhook) => deliver(webhook, 'POST', 'sent with others at the same time')))),
  }
}
