import { compile, type FromSchema } from '@gateway/contracts'
import type { Command } from '@gateway-infra/system/context'
import { readOptions } from '../read-arguments.ts'
import { INTEGER, requiredFields, TEXT, TEXT_OR_NULL } from '../required-fields.ts'
import { operatorApi } from './operator-api.ts'

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
export const retiredQueues: Command = async (context, args) => {
  const { values } = readOptions(args, { remove: { type: 'boolean' } })
  const api = operatorApi(context)
  const { data } = values.remove
    ? await api.post('/operator/v1/retired-queues/remove', {}, answer)
    : await api.get('/operator/v1/retired-queues', {}, answer)
  for (const queue of data.queues) console.log(lineOf(queue))
  const left = data.queues.filter(({ done }) => done !== 'removed')
  if (data.queues.length === 0) console.log('no retired queues')
  else if (values.remove) console.log(`${data.queues.length - left.length} removed, ${left.length} left`)
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
