/** Card payments on a stack of its own, with invalid input and crashes. Then no card number is found anywhere, and each planted one is. */
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'amqplib'
import { mongo } from 'mongoose'
import { reportLines, scanStack, type ScannedSource } from '@gateway-tools/card-scan'
import { anOrder, eventually, jsonClient } from '@gateway/testkit'
import { findCards, NETWORK_PATHS } from '@gateway/contracts'
import { checkDigit, PLANTED_FORMS } from '@gateway/testkit/card-numbers'
import { ensureSecrets } from '@gateway-infra/local/secrets'
import { readStack } from '@gateway-infra/local/stack-file'
import { readPaths } from '@gateway-infra/system/paths'
import { cardFields, misplaced, openPage, sendForm, type Page } from './support/form-shopper.ts'
import { openMerchant, type Merchant } from './support/merchant.ts'
import { OWN_ENGINES, startStack, type RunningStack } from './support/running-stack.ts'

const TEST_CARDS = ['4242424242424242', '4000000000000002', '4000000000009995', '4111111111111111', '4000000000000259']
const COMMAND = join(import.meta.dirname, '../tools/card-scan/main.ts')
const DEADLINE = { deadlineMs: 60_000, pauseMs: 100 }

let stack: RunningStack
let merchant: Merchant

beforeAll(async () => {
  stack = await startStack({ ...OWN_ENGINES, LOG_LEVEL: 'debug' })
  merchant = await openMerchant(stack.description, 'Card Stores')
}, 300_000)

afterAll(() => stack.remove(), 300_000)

async function newPage(): Promise<Page> {
  const order = anOrder({ methods: ['card', 'netbanking'], max_attempts: 3 })
  const { checkout } = await eventually(async () => {
    return await merchant.gateway.orders.create(order)
  }, DEADLINE)
  return openPage(checkout.url)
}

const scan = (): Promise<ScannedSource[]> =>
  scanStack({
    stackDir: stack.stateDir,
    cacheDir: readPaths(process.env).cacheDir,
    mongoUrl: stack.description.mongo_url,
    databasePrefix: stack.databasePrefix,
  })
const groupsOf = (scanned: readonly ScannedSource[]): Set<string> => new Set(scanned.map(({ group }) => group))

test('cards are accepted, declined and mistyped', async () => {
  for (const number of TEST_CARDS) {
    const page = await newPage()
    expect(await sendForm(page, cardFields(page, number))).toMatchObject({ status: 303 })
    // The same form again, as after a reload or a double click.
    await sendForm(page, cardFields(page, number))
    await fetch(`${page.url}/bank`, { headers: { cookie: page.cookie } })
  }
  const page = await newPage()
  for (const number of ['4111111111111112', '4111', 'Asha', '', '4111 1111 1111 1111 1111']) {
    expect(await sendForm(page, cardFields(page, number))).toMatchObject({ status: 422 })
  }
  // Devanagari digits: the card may be accepted or refused.
  await sendForm(page, cardFields(page, '४१११ ११११ ११११ ११११'))
})

test('a card number in every wrong place, at the page and at the network', async () => {
  for (const number of ['4111111111111111', '378282246310005']) {
    const page = await newPage()
    for (const request of misplaced(page, number)) await request()
  }
  await startPayments(stack, TEST_CARDS)
})

test('services are killed during card payments', async () => {
  for (const name of ['checkout', 'network-simulator', 'payment-status']) {
    const { services } = stack.description
    const shoppers = Array.from({ length: 6 }, async () => {
      const page = await newPage()
      // The service may be killed before it answers.
      await sendForm(page, cardFields(page, '4242424242424242')).catch(() => undefined)
    })
    const pid = services[name]?.pid ?? 0
    await Promise.race(shoppers.map((shopper) => shopper.catch(() => undefined)))
    process.kill(pid, 'SIGKILL')
    await Promise.allSettled(shoppers)
    await eventually(async () => {
      const now = readStack(stack.stateDir)?.services[name]
      expect(now?.pid).not.toBe(pid)
      expect((await jsonClient(now?.url ?? '')('GET', '/readyz')).status).toBe(200)
    }, DEADLINE)
  }
}, 300_000)

// Proves: faults/card-data-is-stored-nowhere
test('no card number is in any log, document, table, write-ahead log or queue', () => {
  const env = { ...process.env, NODE_OPTIONS: '', DATABASE_PREFIX: stack.databasePrefix }
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, stack.stateDir], { env, encoding: 'utf8' })
  process.stdout.write(stdout)
  expect(stderr).toBe('')
  expect(stdout).toContain('no card number was found')
  expect(stdout).toMatch(/^logs of the services: 0 hits in \d+ files or collections, [\d,]{4,} bytes read$/mu)
  expect(stdout).toMatch(/^documents of \w+payment_status: 0 hits in \d+ files or collections, [\d,]{4,} bytes read$/mu)
  expect(status).toBe(0)
}, 300_000)

test('a card number in each form, planted in a log, a document and a queue, is found and not printed', async () => {
  const forms = Object.values(PLANTED_FORMS)
  const cards = { log: cardsOf('41', forms.length), document: cardsOf('42', forms.length), message: cardsOf('43', forms.length) }
  const bytesOf = (numbers: readonly string[]): Buffer[] =>
    forms.map((write, place) =>
      Buffer.concat([Buffer.from('{"message":"'), Buffer.from(write(numbers[place] ?? '')), Buffer.from('"}\n')]),
    )

  for (const line of bytesOf(cards.log)) appendFileSync(join(stack.stateDir, 'logs', 'checkout.log'), line)
  await plantDocuments(bytesOf(cards.document))
  await plantMessages(bytesOf(cards.message))

  const scanned = await scan()
  const foundIn = (group: RegExp): Set<string> =>
    new Set(scanned.filter((source) => group.test(source.group)).flatMap(({ findings }) => findings.map(({ digits }) => digits)))
  expect(missing(cards.log, foundIn(/^logs of the services$/u))).toEqual([])
  expect(missing(cards.document, foundIn(/^documents of/u))).toEqual([])
  // The files of a broker in a container cannot be read.
  if (groupsOf(scanned).has('broker: write-ahead log')) {
    expect(missing(cards.message, foundIn(/^broker: /u))).toEqual([])
    expect(missing(cards.document, foundIn(/^database: /u))).toEqual([])
  }
  const lines = reportLines(scanned)
  process.stdout.write(`${lines.filter((line) => !line.startsWith('hit')).join('\n')}\n`)
  expect(findCards(lines.join('\n'), 'any')).toEqual([])
}, 300_000)

/** Valid card numbers that no real card has, all different. */
function cardsOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, place) => {
    const digits = `${prefix}7305918264${String(place).padStart(3, '0')}`
    return digits + checkDigit(digits)
  })
}

/** The names of the forms whose card was not found. */
function missing(cards: readonly string[], found: ReadonlySet<string>): string[] {
  return Object.keys(PLANTED_FORMS).filter((_, place) => !found.has(cards[place] ?? ''))
}

async function plantDocuments(bodies: readonly Buffer[]): Promise<void> {
  const client = await new mongo.MongoClient(stack.description.mongo_url).connect()
  try {
    const collection = client
      .db(`${stack.databasePrefix}payment_status`)
      .collection<{ _id: number; planted: mongo.Binary }>('planted')
    await collection.insertMany(bodies.map((body, place) => ({ _id: place, planted: new mongo.Binary(body) })))
  } finally {
    await client.close()
  }
}

async function plantMessages(bodies: readonly Buffer[]): Promise<void> {
  const connection = await connect(stack.description.amqp_url)
  try {
    const channel = await connection.createConfirmChannel()
    const queue = `${stack.amqpPrefix}planted`
    await channel.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } })
    for (const body of bodies) channel.sendToQueue(queue, body, { persistent: true })
    await channel.waitForConfirms()
  } finally {
    await connection.close()
  }
}

/** Checkout's calls of the network, sent directly: correct ones, and ones that a faulty caller could send. Their outcome does not matter: the test searches what they leave behind. */
async function startPayments({ description, stateDir }: RunningStack, numbers: readonly string[]): Promise<void> {
  const call = jsonClient(description.network_url, { authorization: `Bearer ${ensureSecrets(stateDir).networkApiKey}` })
  for (const number of numbers) {
    const attemptId = `direct-${anOrder().order_id}`
    const correct = {
      attempt_id: attemptId,
      tr: 'NOBODYSORDER',
      method: 'credit_card',
      amount: '499.00',
      currency: 'INR',
      description: '',
      return_url: 'https://shop.example/back',
      card: { number, expiry_month: '12', expiry_year: '2034', cvv: '123', name: 'Asha Rao' },
    }
    const key = { 'idempotency-key': attemptId }
    expect((await call('POST', NETWORK_PATHS.payments, correct, key)).status).toBe(201)
    const faulty = [
      { ...correct, card: { ...correct.card, name: number } },
      { ...correct, card: { ...correct.card, number: `${number} ` } },
      { ...correct, card: { ...correct.card, cvv: number } },
      { ...correct, card: number },
      { ...correct, method: 'netbanking', netbanking: { bank: number } },
      `${JSON.stringify(correct)}}`,
      JSON.stringify(correct).slice(0, -20),
      `"${number}`,
    ]
    for (const body of faulty) await call('POST', NETWORK_PATHS.payments, body, key)
    await call('POST', NETWORK_PATHS.payments, { ...correct, attempt_id: `${attemptId}-2` }, { 'idempotency-key': number })
    await call('GET', `${NETWORK_PATHS.payments}?tr=${number}`)
  }
}
