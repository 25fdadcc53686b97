import type { Answer } from '../judge.ts'
import type { Transcript } from '../transcript.ts'
import { genuine, type Webhook } from '../webhooks.ts'
import { exchange } from '../exchange.ts'
import type { SandboxEvent } from '../wire/inbox.ts'
import type { World } from './world.ts'

/** Sends requests to the receiver. */
export interface Delivering {
  send(webhook: Webhook, options?: { method?: string; note?: string }): Promise<Answer>
  /** An event with the gateway's bytes, signed now or at a given time. */
  sendGenuine(event: SandboxEvent, options?: { attempt?: number; note?: string }): Promise<Answer>
  /** Several at the same time. */
  sendTogether(webhooks: readonly Webhook[]): Promise<readonly Answer[]>
}

export function createDelivering(
  { receiver, timing, secret, sending, signal }: Pick<World, 'receiver' | 'timing' | 'secret' | 'sending' | 'signal'>,
  transcript: Transcript,
): Delivering {
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
