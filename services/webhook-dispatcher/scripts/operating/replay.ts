import { compile, requiredFields, RESEND_TARGETS } from '@gateway/contracts'
import type { Command, Session } from './command.ts'
import { FILTER_OPTIONS, readFilter, readOptions, readWhole } from './options.ts'
import { INTEGER, TEXT, TEXT_OR_NULL } from './shapes.ts'
import { UserError } from './user-error.ts'

const accepted = compile(requiredFields({ data: requiredFields({ id: TEXT }) }))
const replayed = compile(
  requiredFields({ next_cursor: TEXT_OR_NULL, data: requiredFields({ replayed: INTEGER, skipped: INTEGER }) }),
)

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
    await api.post(`/operator/v1/deliveries/${encodeURIComponent(id)}/replay`, { target }, accepted)
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
    const step = await api.post('/operator/v1/deliveries/replay', { ...body, cursor }, replayed)
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
