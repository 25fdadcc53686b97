/** Merchants and shoppers of one stack, as a program of its own. */
import { randomInt } from 'node:crypto'
import { merchantCalls, type MerchantCallsOptions, type Order } from './merchant-calls.ts'
import { runCallers, runPaced, type Callers, type Pace } from './pacing.ts'
import { openProgram, serveProgram, type Program } from './program.ts'
import type { Counts } from './recorder.ts'

export type MerchantLoad = Program<typeof functions>
export type MerchantLoadSetup = Omit<MerchantCallsOptions, 'connections'>

/** What happened in one run. */
export interface LoadAnswer extends Counts {
  /** Transactions of the orders that were accepted. */
  readonly transactionIds: readonly string[]
  /** Transactions whose payment the network took. */
  readonly paidIds: readonly string[]
  /** Until the last answer, in milliseconds. */
  readonly tookMs: number
  /** Calls that were not made, because too many waited for their answers. */
  readonly notSent: number
}

const CONNECTIONS = 256
/** Searches choose from the newest orders. */
const MAX_SEARCHED = 200_000
/** Of the journeys, one in so many pays on the hosted page; the others by a UPI app. */
const ON_PAGE_EVERY = 3
/** Of the journeys, one in so many searches with a token that the gateway made. */
const ASK_TOKEN_EVERY = 30

export function openMerchantLoad(): MerchantLoad {
  return openProgram(import.meta.filename)
}

type Load = ReturnType<typeof startLoad>
type Kind = keyof Load['kinds']

/** Kinds: `create`, `search` (any order created here), `pay` (create and pay by UPI), `journey` (create, pay, search). */
function startLoad(setup: MerchantLoadSetup) {
  const calls = merchantCalls({ ...setup, connections: CONNECTIONS })
  let [orders, transactionIds, paidIds]: [Order[], string[], string[]] = [[], [], []]
  let journeys = 0

  async function create(): Promise<Order | undefined> {
    const order = await calls.create()
    if (!order) return undefined
    if (orders.length >= MAX_SEARCHED) orders = orders.slice(MAX_SEARCHED / 2)
    orders.push(order)
    transactionIds.push(order.transactionId)
    return order
  }

  async function pay(how: 'payByUpi' | 'payOnPage'): Promise<Order | undefined> {
    const order = await create()
    if (order && (await calls[how](order))) paidIds.push(order.transactionId)
    return order
  }

  return {
    kinds: {
      create,
      search: async () => {
        const order = orders[randomInt(Math.max(orders.length, 1))]
        if (!order) throw new Error('no order was created that could be searched for')
        await calls.search(order.orderId, order.merchant)
      },
      pay: () => pay('payByUpi'),
      journey: async () => {
        const number = ++journeys
        const order = await pay(number % ON_PAGE_EVERY === 0 ? 'payOnPage' : 'payByUpi')
        if (!order) return
        const token = number % ASK_TOKEN_EVERY === 0 ? await calls.askToken(order.merchant) : undefined
        await calls.search(order.orderId, order.merchant, token)
      },
    },
    /** What happened since the last look. */
    take() {
      const taken = { ...calls.recorder.take(), transactionIds, paidIds }
      ;[transactionIds, paidIds] = [[], []]
      return taken
    },
    close: () => calls.close(),
  }
}

let load: Load | undefined
let isStopped = false

/** @param run resolves to the number of calls that were not made */
async function measure(kind: Kind, run: (call: () => Promise<unknown>) => Promise<number>): Promise<LoadAnswer> {
  if (!load) throw new Error('the first call is setup')
  isStopped = false
  const startedMs = performance.now()
  const notSent = await run(load.kinds[kind])
  return { ...load.take(), tookMs: performance.now() - startedMs, notSent }
}

/** Runs follow one another. */
const functions = {
  async setup(setup: MerchantLoadSetup): Promise<void> {
    await load?.close()
    load = startLoad(setup)
  },
  /** As fast as the callers can, each waiting for its answer. */
  callers: (kind: Kind, callers: Callers) =>
    measure(kind, async (call) => {
      await runCallers(callers, call)
      return 0
    }),
  /** Starts calls at a rate, however slow the answers are. With an infinite `durationMs` they go on until `stop`. */
  paced: (kind: Kind, pace: Omit<Pace, 'isStopped'>) =>
    measure(kind, (call) => runPaced({ ...pace, isStopped: () => isStopped }, call)),
  stop() {
    isStopped = true
  },
}

serveProgram(import.meta.filename, functions)
