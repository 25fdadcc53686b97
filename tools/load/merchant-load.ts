/** Merchants and shoppers of one stack, as a program of its own. */
import { randomInt } from 'node:crypto'
import { merchantCalls, type MerchantCallsOptions, type Order } from './merchant-calls.ts'
import { openProgram, serveProgram } from './program.ts'
import { loadFunctions, type Load, type LoadProgram } from './serve-load.ts'

export type MerchantLoadSetup = Omit<MerchantCallsOptions, 'connections'>

const CONNECTIONS = 256
/** Searches choose from the newest orders. */
const MAX_SEARCHED = 200_000
/** Of the journeys, one in so many pays on the hosted page; the others by a UPI app. */
const ON_PAGE_EVERY = 3
/** Of the journeys, one in so many searches with a token that the gateway made. */
const ASK_TOKEN_EVERY = 30

export function openMerchantLoad(): LoadProgram<MerchantLoadSetup> {
  return openProgram(import.meta.filename)
}

/** Kinds: `create`, `search` (any order created here), `pay` (create and pay by UPI), `journey` (create, pay, search). */
export function startMerchantLoad(setup: MerchantLoadSetup) {
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
    calls,
    kinds: {
      create,
      async search() {
        const order = orders[randomInt(Math.max(orders.length, 1))]
        if (!order) throw new Error('no order was created that could be searched for')
        await calls.search(order.orderId, order.merchant)
      },
      pay: () => pay('payByUpi'),
      async journey() {
        const number = ++journeys
        const order = await pay(number % ON_PAGE_EVERY === 0 ? 'payOnPage' : 'payByUpi')
        if (!order) return
        const token = number % ASK_TOKEN_EVERY === 0 ? await calls.askToken(order.merchant) : undefined
        await calls.search(order.orderId, order.merchant, token)
      },
      /** Pays an order created here by a report of the network itself; false when none is left. */
    },
    take() {
      const taken = { ...calls.recorder.take(), transactionIds, paidIds }
      ;[transactionIds, paidIds] = [[], []]
      return taken
    },
    close: () => calls.close(),
  } satisfies Load & { calls: unknown }
}

serveProgram(import.meta.filename, loadFunctions(startMerchantLoad))
