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
/** A step takes so many seconds, so that progress is seen and Ctrl-C is soon obeyed. */
const STEP_SECONDS = 2

/** Sends dead deliveries again: one, or all that a filter finds, at a rate per second. */
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
    console.log(`${id} is sent again; npm run webhooks -- inspect ${id} shows what comes of it`)
    return 0
  }
  // So that nobody sends everything again for having forgotten the id.
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
    console.log(`${sent} sent again, ${skipped} skipped${cursor === undefined ? '; that was all' : ''}`)
  } while (cursor !== undefined && !stop.signal.aborted)
  if (cursor === undefined) {
    if (skipped > 0) console.log('skipped are those whose endpoint is disabled or gone, and those that are not dead any more')
    return 0
  }
  console.log(`stopped before the end. The same command goes on, and doubles nothing; --cursor ${cursor} saves it the way here`)
  return 130
}
