import { compile, RESEND_TARGETS } from '@gateway/contracts'
import type { Command } from '@gateway-infra/system/context'
import { UserError } from '@gateway-infra/system/user-error'
import { operatorApi, type OperatorApi } from './operator-api.ts'
import { FILTER_OPTIONS, readFilter, readOptions } from './options.ts'

const accepted = compile({
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } },
})

const replayed = compile({
  type: 'object',
  required: ['data', 'next_cursor'],
  properties: {
    next_cursor: { type: ['string', 'null'] },
    data: {
      type: 'object',
      required: ['replayed', 'skipped'],
      properties: { replayed: { type: 'integer' }, skipped: { type: 'integer' } },
    },
  },
})

const DEFAULT_RATE = 20
/** Seconds per step, so that progress is visible and Ctrl-C takes effect soon. */
const STEP_SECONDS = 2

/** Sends dead deliveries again: one, or all that match a filter, at a rate per second. */
export const replay: Command = async (context, args) => {
  const own = {
    target: { type: 'string' },
    rate: { type: 'string' },
    cursor: { type: 'string' },
    all: { type: 'boolean' },
  } as const
  const { values, positionals } = readOptions(args, { ...FILTER_OPTIONS, ...own })
  const target = RESEND_TARGETS.find((known) => known === values.target)
  if (values.target !== undefined && !target) throw new UserError('--target must be original or current')
  const api = operatorApi(context)

  const [id, ...more] = positionals
  if (id !== undefined) {
    if (more.length > 0 || values.all) throw new UserError('replay takes one delivery id, or --all with a filter')
    await api.post(`/operator/v1/deliveries/${encodeURIComponent(id)}/replay`, { target }, accepted)
    console.log(`${id} is being sent again; npm run webhooks -- inspect ${id} shows the result`)
    return 0
  }
  // A forgotten id must not send everything again.
  if (!values.all)
    throw new UserError('replay takes a delivery id, or --all, with --merchant, --since, --until, --reason or --url to choose')
  const rate = Number(values.rate ?? DEFAULT_RATE)
  if (!(Number.isInteger(rate) && rate >= 1 && rate <= 200)) throw new UserError('--rate must be a whole number from 1 to 200')
  const body = { ...readFilter(values, new Date()), target, rate, limit: rate * STEP_SECONDS }
  return replayAll(api, body, values.cursor, context.stopRequested)
}

async function replayAll(
  api: OperatorApi,
  body: object,
  from: string | undefined,
  stopRequested: Promise<NodeJS.Signals>,
): Promise<number> {
  const stop = new AbortController()
  void stopRequested.then(() => stop.abort())
  let [sent, skipped, cursor] = [0, 0, from]
  do {
    const step = await api.post('/operator/v1/deliveries/replay', { ...body, cursor }, replayed)
    sent += step.data.replayed
    skipped += step.data.skipped
    cursor = step.next_cursor ?? undefined
    console.log(`${sent} sent again, ${skipped} skipped${cursor === undefined ? '; finished' : ''}`)
  } while (cursor !== undefined && !stop.signal.aborted)
  if (cursor === undefined) {
    if (skipped > 0) console.log('skipped: deliveries whose endpoint is disabled or removed, or that are no longer dead')
    return 0
  }
  console.log(
    `stopped before the end. Run the same command to continue; nothing is sent twice. --cursor ${cursor} skips what is done`,
  )
  return 130
}
