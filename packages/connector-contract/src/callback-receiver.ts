import {
  networkReport,
  REFUND_CALLBACKS_PATH,
  refundReport,
  SIGNATURE_HEADERS,
  verifySignature,
  type NetworkReport,
  type RefundReport,
  type SigningKey,
} from '@gateway/contracts'
import { startJsonServer, type JsonRequest } from '@gateway/testkit/json-server'

/** A callback as it arrived. */
export interface Callback {
  readonly messageId: string
  readonly authentic: boolean
  /** `undefined` when the body is not a report of the contract. */
  readonly report: NetworkReport | undefined
  /** The same for a callback to the refund path. */
  readonly refund: RefundReport | undefined
}

export type CallbackReceiver = Awaited<ReturnType<typeof startCallbackReceiver>>

/** Takes callbacks in place of the gateway: answers 200 to an authentic one, 401 to any other. */
export async function startCallbackReceiver(at: { host: string; port: number; key: SigningKey }) {
  const received: Callback[] = []
  const refused = new Set<string>()
  const server = await startJsonServer((request) => {
    const callback = readCallback(request, at.key)
    received.push(callback)
    const { report, refund } = callback
    if (refused.delete(report?.attempt_id ?? refund?.refund_id ?? '')) return { status: 503 }
    return { status: callback.authentic ? 200 : 401 }
  }, at)
  return {
    url: `${server.url}/network/v1/callbacks`,
    received: received as readonly Callback[],
    /** Answers 503 to the first callback about this attempt or refund. */
    refuseOnce: (id: string) => refused.add(id),
    stop: () => server.stop(),
  }
}

function readCallback({ path, headers, body: report, rawBody: body }: JsonRequest, key: SigningKey): Callback {
  const header = (part: keyof typeof SIGNATURE_HEADERS): string => String(headers[SIGNATURE_HEADERS[part]] ?? '')
  const id = header('id')
  const message = { id, timestamp: header('timestamp'), signature: header('signature'), body }
  return {
    messageId: id,
    authentic: id !== '' && verifySignature(message, [key], new Date()),
    report: path !== REFUND_CALLBACKS_PATH && networkReport(report) ? report : undefined,
    refund: path === REFUND_CALLBACKS_PATH && refundReport(report) ? report : undefined,
  }
}
