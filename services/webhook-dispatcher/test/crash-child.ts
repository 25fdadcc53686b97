/** A dispatcher that kills itself: `CRASH_AT` says where, `CRASH_ATTEMPT` at which attempt. */
import type { Publisher } from '@gateway/messaging'
import { readConfig, silentLog } from '@gateway/service-kit'
import { publisherAround } from '@gateway/testkit'
import { readDispatcherConfig } from '../src/config.ts'
import type { SendWebhook } from '../src/sending/webhook-client.ts'
import { startWebhookDispatcher, type Overrides } from '../src/service.ts'

export const CRASH_POINTS = ['before-post', 'after-post', 'before-publish', 'after-publish'] as const
export type CrashPoint = (typeof CRASH_POINTS)[number]

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  // The process ends before any later code runs.
  return new Promise(() => undefined)
}

function dyingSend(real: SendWebhook, point: CrashPoint, attempt: string): SendWebhook {
  return async (request) => {
    const isIt = request.headers['webhook-attempt'] === attempt
    if (isIt && point === 'before-post') await die()
    const result = await real(request)
    if (isIt && point === 'after-post') await die()
    return result
  }
}

function dyingPublisher(real: Publisher, point: CrashPoint): Publisher {
  return publisherAround(real, async (message) => {
    if (point === 'before-publish') await die()
    await real.publish(message)
    if (point === 'after-publish') await die()
  })
}

if (import.meta.main) {
  const point = CRASH_POINTS.find((candidate) => candidate === process.env['CRASH_AT'])
  if (!point) throw new Error(`CRASH_AT must be one of ${CRASH_POINTS.join(', ')}`)
  const overrides: Overrides = {
    send: (real) => dyingSend(real, point, process.env['CRASH_ATTEMPT'] ?? '1'),
    publisher: (real) => dyingPublisher(real, point),
  }
  await startWebhookDispatcher(readConfig(process.env, readDispatcherConfig), silentLog, overrides)
}
