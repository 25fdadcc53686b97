import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { formatSigningSecret } from '@gateway/contracts'
import type { DeliveryReadModel, RecordedWebhook } from '../../deliveries/index.ts'
import { firstPosition, parseProgress, type Progress } from '../domain/copy.ts'
import type { Copies, PlacedCopy } from '../persistence/copies.ts'
import { makeCopyWebhooks } from './copy-webhooks.ts'
import { createListenSessions, type ListenSession } from './listen-sessions.ts'

const MERCHANT = 'mer_1'
const SECRET = formatSigningSecret(randomBytes(32))
const SECOND_MS = 1000
/** Replicas whose clocks differ by a minute. */
const SKEWS_MS = [-30 * SECOND_MS, 30 * SECOND_MS]
const MAX_LATE_MS = 30 * SECOND_MS
const LOOK_BACK_MS = 60 * SECOND_MS + MAX_LATE_MS
/** A minute before an hour: replicas can be in different hours. */
const START_MS = Date.parse('2026-11-21T09:59:00Z')

/** A webhook whose record others see some time after its creation. */
interface Webhook extends RecordedWebhook {
  readonly visibleAtMs: number
}

/** Recorded webhooks, copies and two replicas over a clock that a test moves. */
function world() {
  const clock = { nowMs: START_MS }
  const webhooks: Webhook[] = []
  const placed: PlacedCopy[] = []
  const oldestFirst = (one: RecordedWebhook, other: RecordedWebhook) =>
    Number(one.created_at) - Number(other.created_at) || (one.id < other.id ? -1 : 1)
  const visible = () => webhooks.filter(({ visibleAtMs }) => visibleAtMs <= clock.nowMs)

  const readModel: Pick<DeliveryReadModel, 'webhookIds' | 'webhooks'> = {
    webhookIds: async (_merchantId, from, to) =>
      visible()
        .filter(({ created_at }) => created_at >= from && (!to || created_at < to))
        .toSorted(oldestFirst)
        .map(({ id }) => id),
    webhooks: async (ids) => webhooks.filter(({ id }) => ids.includes(id)).toSorted(oldestFirst),
  }
  const isPlaced = (id: string) => placed.some((copy) => copy.id === id)
  const copies: Copies = {
    missing: async (ids) => ids.filter((id) => !isPlaced(id)),
    append: async (added, now) => {
      for (const copy of added) {
        if (!isPlaced(copy.id)) placed.push({ ...copy, position: (placed.at(-1)?.position ?? firstPosition(now)) + 1 })
      }
    },
    latest: async () => placed.at(-1)?.position ?? 0,
    after: async (_merchantId, since, after, limit) =>
      placed.filter(({ position, created_at }) => position > after && created_at >= since).slice(0, limit),
  }
  const replicas = SKEWS_MS.map((skewMs) => {
    const now = () => new Date(clock.nowMs + skewMs)
    return createListenSessions({
      copies,
      copyWebhooks: makeCopyWebhooks({ readModel, copies, lookBackMs: LOOK_BACK_MS, now }),
      lookBackMs: LOOK_BACK_MS,
      listenSecrets: { find: async () => SECRET, findOrAdd: async () => SECRET },
      now,
    })
  })
  return { clock, webhooks, visible, placed, replicas }
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
  | { readonly kind: 'record'; readonly replica: number; readonly count: number; readonly lateMs: number }
  | { readonly kind: 'open'; readonly replica: number; readonly agoMs: number | undefined }
  | { readonly kind: 'cut'; readonly replica: number; readonly client: number; readonly took: number }
  | { readonly kind: 'read' }

const kind = <K extends Step['kind']>(name: K) => fc.constant(name)
const replica = fc.nat({ max: SKEWS_MS.length - 1 })
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: kind('pass'), ms: fc.integer({ min: 1, max: 90 * SECOND_MS }) }),
    fc.record({
      kind: kind('record'),
      replica,
      count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 })),
      lateMs: fc.nat({ max: MAX_LATE_MS }),
    }),
    fc.record({
      kind: kind('open'),
      replica,
      agoMs: fc.option(fc.integer({ min: 30 * SECOND_MS, max: 600 * SECOND_MS }), { nil: undefined }),
    }),
    fc.record({ kind: kind('cut'), replica, client: fc.nat({ max: 1 }), took: fc.nat({ max: 50 }) }),
    fc.record({ kind: kind('read') }),
  ),
  { maxLength: 30, size: 'max' },
)

// Proves: listen/resumes-without-repeating
test('with late records and cut sessions, each client gets every copy that it asked for once, in one order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (planned) => {
      const { clock, webhooks, visible, placed, replicas } = world()
      const clients: Client[] = []

      const openAt = (at: number, asked: { after?: Progress | undefined; since?: Date | undefined }) => {
        const sessions = replicas[at]
        if (!sessions) throw new Error(`there is no replica ${at}`)
        return sessions.open({ merchantId: MERCHANT, credentialId: 'c', after: asked.after, since: asked.since })
      }
      /** A client that is cut gets only the first few copies of what was sent. */
      async function read(client: Client, took = Infinity): Promise<number> {
        const got = ((await client.session.next()) ?? []).slice(0, took)
        client.received.push(...got.map(({ headers }) => headers['webhook-id'] ?? ''))
        client.lastId = got.at(-1)?.progress ?? client.lastId
        return got.length
      }
      async function apply(step: Step): Promise<void> {
        if (step.kind === 'pass') clock.nowMs += step.ms
        if (step.kind === 'read') await Promise.all(clients.map((client) => read(client)))
        if (step.kind === 'record') {
          const createdAt = new Date(clock.nowMs + (SKEWS_MS[step.replica] ?? 0))
          const fields = {
            merchant_id: MERCHANT,
            sequence: 1,
            body: '{}',
            created_at: createdAt,
            visibleAtMs: clock.nowMs + step.lateMs,
          }
          for (let added = 0; added < step.count; added++) webhooks.push({ id: `evt-${webhooks.length}`, ...fields })
        }
        if (step.kind === 'open' && clients.length < 2) {
          const since = step.agoMs === undefined ? undefined : new Date(clock.nowMs - step.agoMs)
          const earlier = new Set(visible().map(({ id }) => id))
          const session = await openAt(step.replica, { since })
          clients.push({ earlier, since, received: [], lastId: session.progress, session })
        }
        const cut = step.kind === 'cut' ? clients[step.client] : undefined
        if (!cut || step.kind !== 'cut') return
        await read(cut, step.took)
        cut.session.close()
        cut.session = await openAt(step.replica, { after: parseProgress(cut.lastId) })
      }

      for (const step of planned) await apply(step)
      clock.nowMs += LOOK_BACK_MS
      for (const client of clients) {
        while ((await read(client)) > 0);
        const { since, earlier, received } = client
        const wanted = webhooks.filter(({ id, created_at }) => (since ? created_at >= since : !earlier.has(id)))
        expect(received.toSorted()).toEqual(wanted.map(({ id }) => id).toSorted())
        const positions = received.map((id) => placed.find((copy) => copy.id === id)?.position ?? 0)
        expect(positions).toEqual(positions.toSorted((one, other) => one - other))
      }
    }),
    { numRuns: 60 },
  )
})
