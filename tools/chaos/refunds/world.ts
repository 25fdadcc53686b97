import { readFileSync } from 'node:fs'
import { DEFAULT_SCOPES } from '@gateway/contracts'
import { Gateway } from '@gateway/sdk'
import { connectApi, createMerchant } from '@gateway/testkit/merchants'
import { openReceiver, untilSettled, type Receiver } from '@gateway-tools/load/receiver'
import type { Fleet } from '../fleet/fleet.ts'
import { compareLedgers, readLedgers } from './ledgers.ts'
import { refundLoad, type AcceptedRefund, type PaidOrder } from './refund-load.ts'

const CONNECTIONS = 200
const VPAS = ['success', 'success.lost-refund', 'success.duplicate-refund', 'success.slow-refund', 'success.silent-refund']
const WEBHOOKS_WITHIN_MS = 120_000

export type World = Awaited<ReturnType<typeof openWorld>>

interface WorldOptions {
  /** Whether calls without a clear answer are sent again; by default they are. */
  readonly isRepeated?: boolean
  /** By default a receiver of its own. */
  readonly receiver?: Receiver
}

/** A merchant that may refund, and its server. */
export async function openWorld(fleet: Fleet, { isRepeated = true, receiver: given }: WorldOptions = {}) {
  const { baseUrl, networkUrl, ca } = fleet
  const [connection, network] = [connectApi(baseUrl, { connections: CONNECTIONS }), connectApi(networkUrl)]
  const receiver =
    given ?? (await openReceiver({ cert: readFileSync(ca.certFile, 'utf8'), key: readFileSync(ca.keyFile, 'utf8') }))
  const credentials = await createMerchant(fleet.operator(), { name: 'Refund Stores', scopes: [...DEFAULT_SCOPES, 'refunds'] })
  const gateway = new Gateway({ baseUrl, credentials, fetch: connection.fetch, maxRetries: 0 })
  const url = receiver.urls[0] ?? ''
  await gateway.endpoint.register(url)
  await gateway.refundEndpoint.register(url)
  const close = () => Promise.all([connection.close(), network.close(), ...(given ? [] : [receiver.close()])])
  return { gateway, network, receiver, load: refundLoad({ gateway, network, isRepeated }), close }
}

/** The VPA of the nth order: how the network treats its refunds takes turns. */
export function vpaOf(n: number): string {
  return `${VPAS[n % VPAS.length]}@sandbox`
}

/** Waits until nothing is pending; then counts what is wrong in the ledgers and which webhooks are missing. All zero when correct. */
export async function countWrong(
  { gateway, network, receiver }: World,
  orders: readonly PaidOrder[],
  done: readonly AcceptedRefund[],
) {
  const ledgers = []
  for (const order of orders) ledgers.push(await readLedgers(gateway, network, order))
  return { ...compareLedgers(ledgers, done), webhooks_lost: await settleWebhooks(receiver, done) }
}

/** Waits for both webhooks of each refund or payment. Resolves to the number of missing ones. */
export async function settleWebhooks(receiver: Receiver, refunds: readonly Pick<AcceptedRefund, 'id'>[]): Promise<number> {
  const ids = refunds.flatMap(({ id }) => [`${id}.1`, `${id}.2`])
  return (await untilSettled(receiver, ids, WEBHOOKS_WITHIN_MS)).missing.length
}
