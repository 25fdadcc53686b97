import { compile, requiredFields, type FromSchema } from '@gateway/contracts'
import type { Command } from './command.ts'
import { readOptions } from './options.ts'
import { INTEGER, TEXT, TEXT_OR_NULL } from './shapes.ts'

const QUEUE = requiredFields({
  name: TEXT,
  last_used_at: TEXT,
  messages: INTEGER,
  stage: TEXT,
  removable_at: TEXT_OR_NULL,
  done: TEXT,
})
type RetiredQueue = FromSchema<typeof QUEUE>

const answer = compile(requiredFields({ data: requiredFields({ queues: { type: 'array', items: QUEUE } }) }))

/** Lists delay queues of earlier schedules; `--remove` takes one step towards their removal. Exit code 1 while any is left. */
export const retiredQueues: Command = async (args, { api: open, say }) => {
  const { values } = readOptions(args, { remove: { type: 'boolean' } })
  const api = open()
  const { data } = values.remove
    ? await api.post('/operator/v1/retired-queues/remove', {}, answer)
    : await api.get('/operator/v1/retired-queues', {}, answer)
  for (const queue of data.queues) say(lineOf(queue))
  const left = data.queues.filter(({ done }) => done !== 'removed')
  if (data.queues.length === 0) say('no retired queues')
  else if (values.remove) say(`${data.queues.length - left.length} removed, ${left.length} left`)
  return values.remove && left.length > 0 ? 1 : 0
}

function lineOf(queue: RetiredQueue): string {
  return `${queue.name}  last used ${queue.last_used_at}  ${queue.messages} messages  ${stateOf(queue)}`
}

function stateOf({ stage, done, removable_at: removable }: RetiredQueue): string {
  if (done === 'removed') return 'removed'
  if (stage === 'bound') return 'still bound: --remove unbinds it'
  if (stage === 'removable') return 'can be removed with --remove'
  return `${done === 'cut_off' ? 'unbound now' : 'unbound'}, can be removed from ${removable ?? ''} on, once it is empty`
}
