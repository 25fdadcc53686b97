import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { mongo } from 'mongoose'
import { removeNames } from '@gateway/testkit/backing'
import { processorMs } from '@gateway-infra/system/processes'
import { openMerchantLoad, type MerchantLoad } from '@gateway-tools/load/merchant-load'
import { openProgram } from '@gateway-tools/load/program'
import { untilSettled } from '@gateway-tools/load/receiver'
import { median, rounded, sum, summarize } from '@gateway-tools/load/statistics'
import { orderCreatedEvent } from '@gateway-services/order-api/domain/order'
import { toOrder, type OrderDocument } from '@gateway-services/order-api/persistence/order-document'
import { publishedEvents } from '@gateway-services/payment-status/payments/domain/exported-payment'
import { openTransaction } from '@gateway-services/payment-status/payments/domain/transition'
import { enginesOf, servicesOf, type NamedProcess } from '../cpu.ts'
import { makeOrders } from '../create.ts'
import { eventIds, tell, withCollection, type Bench } from '../stack.ts'
import type { StartPart } from './common.ts'
import type { PartFunctions } from './part.ts'

/** A part is started after those that it calls. */
const ROLES = ['ledger', 'hooks', 'status', 'orders', 'edge'] as const

const PATIENCE_MS = 60_000
/** Until the last events of a run are cleared and copied. */
const AFTERMATH_MS = 1500
const IDLE_MS = 3000
const CALLERS = 64

/** The gateway or the parts. */
interface Side {
  readonly load: MerchantLoad
  /** The processes whose processor time counts, beside the engines. */
  readonly processes: readonly NamedProcess[]
  /** Processor time that others use at the engines meanwhile, in milliseconds per millisecond. */
  readonly others: number
}

/**
 * Creates at the gateway beside creates at the bare parts, which make the same documents, commands, messages and HTTP exchanges
 * between as many processes, in the same batches and with the same indexes, and nothing else: no body is checked, no token verified,
 * no webhook signed, nothing logged or counted. Both take turns; the median of the rounds counts.
 */
export async function compareWithParts(bench: Bench, { rounds, durationMs }: { rounds: number; durationMs: number }) {
  await using undo = new AsyncDisposableStack()
  const opened = await openParts(bench, undo)
  // The gateway's services poll their databases while the parts are measured.
  const engines = enginesOf(bench).map(({ pid }) => pid)
  const before = processorMs(engines)
  await sleep(IDLE_MS)
  const others = (processorMs(engines) - before) / IDLE_MS
  await makeOrders({ ...bench, load: opened.load })

  const measured = []
  for (let round = 1; round <= rounds; round++) {
    const limit = {
      ...{ perSecond: (await insertOne(bench, CALLERS, durationMs / 3)).perSecond },
      ...{ p50Ms: (await insertOne(bench, 1, durationMs / 3)).p50Ms },
    }
    const create = await measureSide(bench, { load: bench.load, processes: servicesOf(bench), others: 0 }, durationMs)
    const parts = await measureSide(bench, { ...opened, others }, durationMs)
    measured.push({ limit, create, parts })
    tell(`round ${round}`, { limit, create, parts })
  }
  return figuresOf(measured)
}

type Measured = Awaited<ReturnType<typeof measureSide>>

function figuresOf(rounds: readonly { limit: Omit<Measured, 'cpuMs'>; create: Measured; parts: Measured }[]) {
  const of = (side: 'create' | 'parts', figure: keyof Measured): number => median(rounds.map((round) => round[side][figure]))
  const limit = (figure: 'perSecond' | 'p50Ms'): number => median(rounds.map((round) => round.limit[figure]))
  const side = (name: 'create' | 'parts') => ({
    ratio: rounded(of(name, 'perSecond') / limit('perSecond')),
    p50_ratio: rounded(of(name, 'p50Ms') / limit('p50Ms')),
    per_second: rounded(of(name, 'perSecond')),
    p50_ms: rounded(of(name, 'p50Ms')),
    cpu_ms: rounded(of(name, 'cpuMs')),
  })
  const quotient = (figure: keyof Measured): number => rounded(of('create', figure) / of('parts', figure))
  const named = (prefix: string, figures: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}_${name}`, value]))
  return {
    ...named('create', side('create')),
    ...named('parts_create', side('parts')),
    ...{ create_vs_parts: quotient('perSecond'), p50_vs_parts: quotient('p50Ms'), cpu_vs_parts: quotient('cpuMs') },
  }
}

/** One round of one side: one caller for `p50Ms`, then many for the rate and for the processor time of a create. */
async function measureSide(bench: Bench, side: Side, durationMs: number) {
  const alone = await createUntilSettled(bench, side, 1, durationMs)
  const many = await createUntilSettled(bench, side, CALLERS, durationMs)
  return { perSecond: many.perSecond, p50Ms: alone.p50Ms, cpuMs: many.cpuMs }
}

/** Throws when a webhook does not arrive: such a run does not count. */
async function createUntilSettled(bench: Bench, { load, processes, others }: Side, concurrency: number, durationMs: number) {
  const counted = [...enginesOf(bench), ...processes]
  const usedBy = () => counted.map(({ pid }) => processorMs([pid]))
  await bench.receiver.call('take')
  const [before, startedMs] = [usedBy(), performance.now()]
  const { transactionIds, latenciesMs, tookMs } = await load.call('callers', 'create', { concurrency, durationMs })
  const { missing } = await untilSettled(bench.receiver, eventIds(transactionIds, 1), PATIENCE_MS)
  if (missing.length > 0) throw new Error(`${missing.length} of ${transactionIds.length} webhooks have not arrived`)
  await sleep(AFTERMATH_MS)
  const count = transactionIds.length
  const usedMs = usedBy().map((ms, index) => ms - (before[index] ?? 0))
  const othersMs = others * (performance.now() - startedMs)
  const microseconds = Object.fromEntries(counted.map(({ name }, index) => [name, ((usedMs[index] ?? 0) * 1000) / count]))
  tell(`${concurrency} callers, processor time of a create in µs`, { ...microseconds, subtracted: (othersMs * 1000) / count })
  return { perSecond: (count * 1000) / tookMs, p50Ms: summarize(latenciesMs).p50, cpuMs: (sum(usedMs) - othersMs) / count }
}

async function insertOne({ limit }: Bench, concurrency: number, durationMs: number) {
  const { latenciesMs, tookMs } = await limit.call('insertOne', { concurrency, durationMs })
  return { perSecond: (latenciesMs.length * 1000) / tookMs, p50Ms: summarize(latenciesMs).p50 }
}

/** Starts the parts and a load that calls them. */
async function openParts(bench: Bench, undo: AsyncDisposableStack) {
  const { stack, databasePrefix, receiver, merchants } = bench
  const { mongo_url: mongoUrl, amqp_url: amqpUrl, network_url: networkUrl } = stack
  const amqpPrefix = `${databasePrefix}parts.`
  const names = { databasePrefix: `${databasePrefix}parts`, amqpPrefix }
  undo.defer(() => removeNames({ mongoUrl, amqpUrl }, names))
  const [ca, events] = [await readFile(stack.ca_file, 'utf8'), await eventsOf(bench)]
  const processes: NamedProcess[] = []
  let baseUrl = ''
  for (const role of ROLES) {
    const program = openProgram<PartFunctions>(`${import.meta.dirname}/part.ts`)
    undo.defer(() => program.close())
    processes.push({ name: role, pid: await program.call('pid') })
    const around = { ordersUrl: baseUrl, webhookUrl: receiver.urls[0] ?? '', ca }
    const start: StartPart = { mongoUrl, databasePrefix, amqpUrl, amqpPrefix, events, ...around }
    baseUrl = await program.call(role, start)
  }
  const load = openMerchantLoad()
  undo.defer(() => load.close())
  await load.call('setup', { baseUrl, networkUrl, merchants })
  return { load, processes }
}

/** The events of a created order, as the gateway publishes them. */
async function eventsOf(bench: Bench): Promise<StartPart['events']> {
  const anyOrder = (orders: mongo.Collection<OrderDocument>) => orders.findOne()
  const order = await withCollection(bench, ['order_api', 'orders'], anyOrder)
  if (!order) throw new Error('there is no order whose events could be made')
  const created = orderCreatedEvent(toOrder(order))
  const [changed] = publishedEvents(openTransaction(created))
  return { 'order.created': JSON.stringify(created), 'transaction.status-changed': JSON.stringify(changed) }
}
