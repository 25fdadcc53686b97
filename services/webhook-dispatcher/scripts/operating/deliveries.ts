import { RESEND_TARGETS } from '@gateway/contracts'
import type { DeliveryPage, InspectedDelivery, Replayed } from '../../src/operating/http/views.ts'
import { UserError, type Command, type Session } from './api.ts'
import { FILTER_OPTIONS, readFilter, readOptions, readWhole } from './options.ts'

const PAGE_SIZE = 100
const DEFAULT_LIMIT = 100

/** Lists dead or retrying deliveries, newest first. */
export const list: Command = async (args, { api: open, say }) => {
  const { values, positionals } = readOptions(args, { ...FILTER_OPTIONS, limit: { type: 'string' } })
  const [status = 'dead'] = positionals
  if (status !== 'dead' && status !== 'retrying') throw new UserError('list takes dead or retrying')
  const limit = readWhole('limit', values.limit, DEFAULT_LIMIT, [1, Infinity])

  const api = open()
  const filter = readFilter(values, new Date())
  let [shown, cursor] = [0, undefined as string | undefined]
  do {
    const query = { ...filter, status, cursor, limit: String(Math.min(PAGE_SIZE, limit - shown)) }
    const { data, next_cursor } = await api.get<DeliveryPage>('/operator/v1/deliveries', query)
    for (const delivery of data.deliveries) say(lineOf(delivery))
    shown += data.deliveries.length
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined && shown < limit)
  say(`${shown} ${status}${cursor === undefined ? '' : '; there are more: raise --limit'}`)
  return 0
}

/** Prints one delivery: its attempts with their addresses, and the body that is sent. */
export const inspect: Command = async (args, { api, say }) => {
  const { positionals } = readOptions(args, {})
  const [id, ...more] = positionals
  if (id === undefined || more.length > 0) throw new UserError('inspect takes one delivery id')
  const { data } = await api().get<InspectedDelivery>(`/operator/v1/deliveries/${encodeURIComponent(id)}`, {})
  say(JSON.stringify(data.delivery, null, 2))
  return 0
}

function lineOf(delivery: DeliveryPage['data']['deliveries'][number]): string {
  const last = delivery.attempts.at(-1)
  const why = delivery.dead_reason ?? `next ${delivery.next_attempt_at ?? ''}`
  const result = last ? `last ${last.error ?? String(last.status_code)}` : 'no attempt yet'
  const { created_at, id, merchant_id, order_id, attempt_count: count, url } = delivery
  const attempts = count === 1 ? '1 attempt' : `${count} attempts`
  return [created_at, id, merchant_id, order_id, why, attempts, result, url ?? 'no URL'].join('  ')
}

const DEFAULT_RATE = 20
/** Seconds per step, so that progress is visible and Ctrl-C takes effect soon. */
const STEP_SECONDS = 2

/** Sends dead deliveries again: one, or all that match a filter, at a rate per second. */
export const replay: Command = async (args, session) => {
  const text = { type: 'string' } as const
  const own = { target: text, rate: text, cursor: text, all: { type: 'boolean' } } as const
  const { values, positionals } = readOptions(args, { ...FILTER_OPTIONS, ...own })
  const target = RESEND_TARGETS.find((known) => known === values.target)
  if (values.target !== undefined && !target) throw new UserError('--target must be original or current')
  const api = session.api()

  const [id, ...more] = positionals
  if (id !== undefined) {
    if (more.length > 0 || values.all) throw new UserError('replay takes one delivery id, or --all with a filter')
    await api.post(`/operator/v1/deliveries/${encodeURIComponent(id)}/replay`, { target })
    session.say(`${id} is being sent again; npm run webhooks -- inspect ${id} shows the result`)
    return 0
  }
  // A forgotten id must not send everything again.
  if (!values.all)
    throw new UserError('replay takes a delivery id, or --all, with --merchant, --since, --until, --reason or --url to choose')
  const rate = readWhole('rate', values.rate, DEFAULT_RATE, [1, 200])
  const body = { ...readFilter(values, new Date()), target, rate, limit: rate * STEP_SECONDS }
  return replayAll(session, body, values.cursor)
}

async function replayAll({ api: open, stopping, say }: Session, body: object, from: string | undefined): Promise<number> {
  const api = open()
  let [sent, skipped, cursor] = [0, 0, from]
  do {
    const step = await api.post<Replayed>('/operator/v1/deliveries/replay', { ...body, cursor })
    sent += step.data.replayed
    skipped += step.data.skipped
    cursor = step.next_cursor ?? undefined
    say(`${sent} sent again, ${skipped} skipped${cursor === undefined ? '; finished' : ''}`)
  } while (cursor !== undefined && !stopping.aborted)
  if (cursor === undefined) {
    if (skipped > 0)
      say('skipped: deliveries whose endpoint is disabled or removed, that are no longer dead, or that were just changing')
    return 0
  }
  say(`stopped before the end. Run the same command to continue; nothing is sent twice. --cursor ${cursor} skips what is done`)
  return 130
}
