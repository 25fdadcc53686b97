/** Merchants and shoppers of one stack, as a program of its own. */
import { randomInt } from 'node:crypto'
import { createCaller } from './caller.ts'
import { merchantCalls, type MerchantCallsOptions, type Order } from './merchant-calls.ts'
import { openProgram } from './program.ts'
import { serveLoad, type Load, type LoadProgram } from './serve-load.ts'

export interface MerchantLoadSetup extends MerchantCallsOptions {
  /** Where Bearer tokens come from. */
  readonly tokens: 'make' | 'ask'
}

const CONNECTIONS = 256
/** Orders that searches choose from: the newest ones. */
const MAX_SEARCHED = 200_000
/** Of the journeys, one in so many pays on the hosted page; the others by a UPI app. */
const ON_PAGE_EVERY = 3

/** Kinds: `create`, `search` (any order created here), `pay` (create and pay by UPI), `journey` (create, pay, search). */
export function openMerchantLoad(): LoadProgram<MerchantLoadSetup> {
  return openProgram(import.meta.filename)
}

function open(setup: MerchantLoadSetup): Load {
  const caller = createCaller(CONNECTIONS)
  const calls = merchantCalls(caller, setup)
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
    renewTokens: () => calls.renewTokens(setup.tokens),
    kinds: {
      create: async () => void (await create()),
      async search() {
        const order = orders[randomInt(Math.max(orders.length, 1))]
        if (!order) throw new Error('no order was created that could be searched for')
        await calls.search(order.orderId, order.merchant)
      },
      pay: async () => void (await pay('payByUpi')),
      async journey() {
        journeys += 1
        const order = await pay(journeys % ON_PAGE_EVERY === 0 ? 'payOnPage' : 'payByUpi')
        if (order) await calls.search(order.orderId, order.merchant)
      },
    },
    take() {
      const taken = { ...caller.take(), transactionIds, paidIds }
      ;[transactionIds, paidIds] = [[], []]
      return taken
    },
    close: () => caller.close(),
  }
}

if (process.argv[1] === import.meta.filename) serveLoad(open)
