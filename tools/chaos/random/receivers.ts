import { setTimeout as sleep } from 'node:timers/promises'
import type { RegisteredEndpoint } from '@gateway/sdk'
import { paymentPath, ReceivedWebhooks, refundPath } from '@gateway/simulation/check/received'
import { startWebhookReceiver } from '@gateway/testkit'
import type { KeyAndCertificate } from '@gateway/testkit/certificates'
import type { Merchant } from './merchant.ts'

const LOOK_EVERY_MS = 100

/** The merchants' webhook servers. */
export class Receivers extends ReceivedWebhooks {
  /** `hang`: requests are never answered until the mode changes, and then their connections end. `fail`: 500. */
  mode: 'answer' | 'hang' | 'fail' = 'answer'
  readonly #servers: Awaited<ReturnType<typeof startWebhookReceiver>>[] = []

  /** Starts a server for a merchant, and registers it at the gateway. */
  async serve({ merchantId, gateway }: Merchant, ca: KeyAndCertificate, nowMs: () => number): Promise<void> {
    const server = await startWebhookReceiver({ ca })
    this.#servers.push(server)
    const note = this.of(merchantId, {
      payments: secretOf(await gateway.endpoint.register(server.url + paymentPath(merchantId))),
      refunds: secretOf(await gateway.refundEndpoint.register(server.url + refundPath(merchantId))),
    })
    server.respondWith(async ({ path, headers, body }) => {
      const [atMs, { mode }] = [nowMs(), this]
      while (this.mode === 'hang') await sleep(LOOK_EVERY_MS)
      const answered = mode === 'hang' ? null : mode === 'fail' ? 500 : 200
      note({ path, headers: headers as Record<string, string>, body: body.toString('utf8') }, { atMs, answered })
      return answered === null ? { status: 200, destroy: true } : { status: answered }
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map(async (server) => server.stop()))
  }
}

function secretOf({ signing_secret: secret }: RegisteredEndpoint): string {
  if (secret === undefined) throw new Error('a new merchant had an endpoint')
  return secret
}
