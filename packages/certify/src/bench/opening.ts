import { randomBytes } from 'node:crypto'
import type { SimulatedOutcome, SimulateOptions } from '@gateway/sdk'
import { fieldsOf } from '../json.ts'
import type { Transcript } from '../transcript.ts'
import type { SeenCall } from '../wire/calls.ts'
import type { FaultRule, OrderChanges } from '../wire/faults.ts'
import type { SandboxEvent } from '../wire/inbox.ts'
import type { Probe } from '../wire/probe.ts'
import { pause, SetupError, type World } from './world.ts'

const CREATED_WITHIN_MS = 5000
const POLL_MS = 50

export interface OpenedOrder {
  readonly orderId: string
  readonly expiresAtMs: number
  /** The event of sequence 1, with the status `Initiate`. */
  readonly initiated: SandboxEvent
}

export interface PaidOrder {
  readonly orderId: string
  readonly paid: SandboxEvent
}

/** Opens orders and has them paid. */
export function createOpening(world: World, transcript: Transcript, orderIds: Set<string>) {
  const { gateway, inbox, probe, timing, signal } = world
  /** The events of the order up to the one with this status. */
  const eventsUntil = (orderId: string, status: string): Promise<readonly SandboxEvent[]> =>
    inbox.until(orderId, status, timing.eventMs, signal)
  /** An order as the shop creates it; without a probe, certify creates it. */
  const openOrder = async (changes: OrderChanges = {}): Promise<OpenedOrder> => {
    const { orderId, expiresAt } = probe ? await openAtShop(world, transcript, probe, changes) : await openHere()
    orderIds.add(orderId)
    return { orderId, expiresAtMs: Date.parse(expiresAt), initiated: firstOf(await eventsUntil(orderId, 'Initiate'), orderId) }

    async function openHere(): Promise<CreatedIds> {
      signal.throwIfAborted()
      const { order, transaction } = await gateway.orders.create({ ...anOrder(), ...changes })
      return { orderId: order.order_id, expiresAt: transaction.expires_at }
    }
  }
  const pay = async (orderId: string, outcome: SimulatedOutcome, options: Partial<SimulateOptions> = {}): Promise<void> => {
    signal.throwIfAborted()
    await gateway.sandbox.simulate({ order_id: orderId, outcome, ...options })
  }
  return {
    openOrder,
    pay,
    eventsUntil,
    /**
     * Has the test instance create one order, with faults.
     *
     * @param pauseMs pause before certify asks for the same cart again, if the first request to the probe fails
     * @returns every create call that arrived at the proxy; `undefined` without a probe
     */
    async createWithFaults(rule: FaultRule, pauseMs: number): Promise<readonly SeenCall[] | undefined> {
      if (!probe) return undefined
      const calls = await createAtShop(world, transcript, { probe, rule, pauseMs })
      for (const { orderId } of calls) orderIds.add(orderId)
      return calls
    },
    /** A paid order, with its last event, which certify has not sent to the receiver yet. */
    async paidOrder(): Promise<PaidOrder> {
      const { orderId } = await openOrder()
      await pay(orderId, 'success')
      return { orderId, paid: firstOf((await eventsUntil(orderId, 'Success')).slice(-1), orderId) }
    },
  }
}

interface CreatedIds {
  readonly orderId: string
  readonly expiresAt: string
}

/** Throws when the shop creates no order through the proxy. */
function openAtShop(world: World, transcript: Transcript, probe: Probe, changes: OrderChanges): Promise<CreatedIds> {
  const { proxy, opening } = world
  return opening(async () => {
    const from = proxy.calls.count()
    proxy.changeOrders(changes)
    const status = await askForOrder(probe, transcript, newOrderId())
    const created = await untilCreated(world, from).finally(() => proxy.changeOrders({}))
    if (created) return { orderId: created.orderId, expiresAt: expiryIn(created.responseBody) }
    const how = `set its base URL to ${proxy.url}, and its credential to the one that pgw uses`
    throw new SetupError(
      `POST /orders of the probe answered ${status ?? 'nothing'} and created no order through the proxy: ${how}`,
    )
  })
}

/** One order of the shop, with faults. When the probe reports a failure, certify asks for the same cart again, as a shopper would. */
function createAtShop(
  world: World,
  transcript: Transcript,
  { probe, rule, pauseMs }: { probe: Probe; rule: FaultRule; pauseMs: number },
): Promise<readonly SeenCall[]> {
  const { proxy, opening, signal } = world
  return opening(async () => {
    const from = proxy.calls.count()
    proxy.faults.onCreate(rule)
    try {
      const orderId = newOrderId()
      const status = await askForOrder(probe, transcript, orderId)
      if (status === null || status >= 400) {
        await pause(pauseMs, signal)
        await askForOrder(probe, transcript, orderId)
      }
      await untilCreated(world, from)
      return proxy.calls.created(from)
    } finally {
      proxy.faults.onCreate(undefined)
    }
  })
}

/** The order that the gateway accepted; a shop may answer first and create it afterwards. */
async function untilCreated({ proxy: { calls }, signal }: World, from: number): Promise<SeenCall | undefined> {
  const endsAtMs = Date.now() + CREATED_WITHIN_MS
  for (;;) {
    const created = calls.created(from).findLast(({ status }) => status !== null && status < 300)
    if (created || Date.now() > endsAtMs) return created
    await pause(POLL_MS, signal)
  }
}

async function askForOrder(probe: Probe, transcript: Transcript, orderId: string): Promise<number | null> {
  const at = new Date().toISOString()
  const { status, error, body } = await probe.createOrder(orderId)
  const request = { line: 'POST /orders', headers: {}, body: JSON.stringify({ order_id: orderId }) }
  const line = status === null ? `no answer: ${error ?? ''}` : String(status)
  transcript.add({ at, kind: 'probe', note: '', request, response: { line, headers: {}, body } })
  return status
}

function expiryIn(body: string): string {
  const { data } = fieldsOf(body) as { data?: { transaction?: { expires_at?: string } } }
  return data?.transaction?.expires_at ?? ''
}

function firstOf([event]: readonly SandboxEvent[], orderId: string): SandboxEvent {
  if (!event) throw new Error(`The sandbox sent no event for ${orderId}`)
  return event
}

function newOrderId(): string {
  return `CERT-${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`
}

function anOrder() {
  const customer = { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
  return { order_id: newOrderId(), amount: '499.00', description: 'Certification', customer }
}
