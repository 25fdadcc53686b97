import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { createSealer } from '@gateway/service-kit'
import { parseProgress, type Copy } from '../domain/copy.ts'
import type { Copies, PlacedCopy } from '../persistence/copies.ts'
import type { RecordedWebhooks } from '../persistence/recorded-webhooks.ts'
import { makeCopyWebhooks } from './copy-webhooks.ts'
import { makeOpenListenSession, type ListenSession } from './open-listen-session.ts'

const MERCHANT = 'mer_1'
const LOOK_BACK_MS = 60_000
const START_MS = Date.parse('2026-11-21T10:00:00Z')

/** A webhook whose record others see some time after its creation. */
interface Webhook extends Copy {
  readonly visibleAtMs: number
}

/** Recorded webhooks, copies and sessions over a clock that a test moves. */
function world() {
  const clock = { nowMs: START_MS }
  const webhooks: Webhook[] = []
  const placed: PlacedCopy[] = []
  const now = () => new Date(clock.nowMs)
  const visible = () =>
    webhooks
      .filter(({ visibleAtMs }) => visibleAtMs <= clock.nowMs)
      .toSorted((one, other) => Number(one.createdAt) - Number(other.createdAt) || (one.id < other.id ? -1 : 1))

  const recordedWebhooks: RecordedWebhooks = {
    ids: async (_merchantId, from, after, limit) => {
      const found = visible().filter(({ createdAt }) => createdAt >= from)
      return found.slice(after ? found.findIndex(({ id }) => id === after.id) + 1 : 0).slice(0, limit)
    },
    copiesOf: async (ids) => visible().filter(({ id }) => ids.includes(id)),
  }
  const copies: Copies = {
    append: async (added) => {
      const stored = new Set(placed.map(({ id }) => id))
      for (const copy of added) if (!stored.has(copy.id)) placed.push({ ...copy, position: placed.length + 1 })
    },
    latest: async () => placed.length,
    before: async (_merchantId, since) => {
      const first = placed.find(({ createdAt }) => createdAt >= since)
      return first && first.position - 1
    },
    after: async (_merchantId, position, limit) => placed.slice(position, position + limit),
  }
  const secrets = new Map<string, string>()
  const open = makeOpenListenSession({
    copies,
    copyWebhooks: makeCopyWebhooks({ recordedWebhooks, copies, lookBackMs: LOOK_BACK_MS, maxRead: 20, now }),
    lookBackMs: LOOK_BACK_MS,
    listenSecrets: {
      find: async (id) => secrets.get(id),
      add: async (id, sealed) => secrets.set(id, sealed).has(id),
    },
    sealer: createSealer(new Map([['k1', randomBytes(32)]])),
    randomBytes,
    now,
  })
  return { clock, webhooks, visible, placed, open }
}

/** A client that connects again with the last id that it got. */
interface Client {
  /** Webhooks that were recorded when the client connected first. */
  readonly earlier: ReadonlySet<string>
  readonly since: Date | undefined
  readonly received: string[]
  lastId: string
  session: ListenSession
}

type Step =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'record'; readonly count: number; readonly lateMs: number }
  | { readonly kind: 'open'; readonly agoMs: number | undefined }
  | { readonly kind: 'read' | 'cut'; readonly client: number; readonly took: number }

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 90_000 }) }),
    {
      arbitrary: fc.record({
        kind: fc.constant('record' as const),
        count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 })),
        lateMs: fc.nat({ max: LOOK_BACK_MS - 1 }),
      }),
      weight: 4,
    },
    fc.record({ kind: fc.constant('open' as const), agoMs: fc.option(fc.nat({ max: 600_000 }), { nil: undefined }) }),
    {
      arbitrary: fc.record({ kind: fc.constantFrom('read', 'cut'), client: fc.nat({ max: 9 }), took: fc.nat({ max: 50 }) }),
      weight: 4,
    },
  ),
  { maxLength: 30, size: 'max' },
)

// Proves: listen/resumes-without-repeating
test('whatever is recorded late and wherever sessions are cut, each client gets what it asked for, once and in one order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (planned) => {
      const { clock, webhooks, visible, placed, open } = world()
      const clients: Client[] = []
      const asked = { merchantId: MERCHANT, credentialId: 'c', after: undefined, since: undefined }

      /** Reads once; a client that is cut gets only the first few copies of what was sent. */
      async function read(client: Client, took = Infinity): Promise<number> {
        const sent = await client.session.next()
        const got = sent.slice(0, took)
        client.received.push(...got.map(({ headers }) => headers['webhook-id'] ?? ''))
        client.lastId = got.at(-1)?.progress ?? client.lastId
        return got.length
      }
      const apply: { [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => Promise<unknown> } = {
        pass: async ({ ms }) => (clock.nowMs += ms),
        record: async ({ count, lateMs }) => {
          const times = { createdAt: new Date(clock.nowMs), visibleAtMs: clock.nowMs + lateMs }
          for (let added = 0; added < count; added++)
            webhooks.push({ id: `evt-${webhooks.length}`, merchantId: MERCHANT, sequence: 1, body: '{}', ...times })
        },
        open: async ({ agoMs }) => {
          if (clients.length === 2) return
          const since = agoMs === undefined ? undefined : new Date(clock.nowMs - agoMs)
          const session = await open({ ...asked, since })
          clients.push({
            earlier: new Set(visible().map(({ id }) => id)),
            since,
            received: [],
            lastId: session.progress,
            session,
          })
        },
        read: async ({ client }) => clients[client] && read(clients[client]),
        cut: async ({ client: index, took }) => {
          const client = clients[index]
          if (!client) return
          await read(client, took)
          client.session.close()
          client.session = await open({ ...asked, after: parseProgress(client.lastId) })
        },
      }
      for (const step of planned) await apply[step.kind](step as never)
      clock.nowMs += LOOK_BACK_MS
      for (const client of clients) {
        let quiet = 0
        while (quiet < 2) quiet = (await read(client)) === 0 ? quiet + 1 : 0
        const { since, earlier, received } = client
        const wanted = webhooks.filter(({ id, createdAt }) => (since ? createdAt >= since : !earlier.has(id)))
        expect(received.toSorted()).toEqual(wanted.map(({ id }) => id).toSorted())
        const positions = received.map((id) => placed.find((copy) => copy.id === id)?.position ?? 0)
        expect(positions).toEqual(positions.toSorted((one, other) => one - other))
      }
    }),
    { numRuns: 60 },
  )
})
