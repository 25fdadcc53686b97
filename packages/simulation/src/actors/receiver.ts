import { paymentPath, ReceivedWebhooks, refundPath, type WebhookSecrets } from '../check/received.ts'
import type { Network } from '../kernel/network.ts'
import type { SimulatedProcess } from '../kernel/process.ts'

/** `hang`: it never answers. `reset`: it processes the webhook and breaks the connection off. */
export type ReceiverMode = 'answer' | 'hang' | 'fail' | 'reset'

const originOf = (merchantId: string): string => `https://${merchantId.replaceAll('_', '-')}.example.com`
export const urlOf = (merchantId: string): string => originOf(merchantId) + paymentPath(merchantId)
export const refundUrlOf = (merchantId: string): string => originOf(merchantId) + refundPath(merchantId)

/** The merchants' webhook servers. */
export class Receiver extends ReceivedWebhooks {
  mode: ReceiverMode = 'answer'
  readonly #process: SimulatedProcess
  readonly #network: Network

  constructor(process: SimulatedProcess, network: Network) {
    super()
    this.#process = process
    this.#network = network
  }

  /** Serves a merchant's endpoints. */
  serve(merchantId: string, secrets: WebhookSecrets): void {
    const note = this.of(merchantId, secrets)
    this.#network.listen(new URL(originOf(merchantId)).hostname, 443, this.#process, async (request) => {
      const { mode } = this
      const answered = mode === 'answer' ? 200 : mode === 'fail' ? 500 : null
      note(request, { atMs: this.#process.kernel.nowMs, answered })
      if (mode === 'hang') return new Promise<undefined>(() => undefined)
      return answered === null ? undefined : { status: answered, body: '' }
    })
  }
}
