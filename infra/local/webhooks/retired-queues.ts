import { compile } from '@gateway/contracts'
import type { Command } from '@gateway-infra/system/context'
import { operatorApi } from './operator-api.ts'
import { readOptions } from './options.ts'

interface RetiredQueue {
  readonly name: string
  readonly last_used_at: string
  readonly messages: number
  readonly stage: string
  readonly removable_at: string | null
  readonly done: string
}

const text = { type: 'string' } as const

const answer = compile({
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      required: ['queues'],
      properties: {
        queues: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'last_used_at', 'messages', 'stage', 'removable_at', 'done'],
            properties: {
              name: text,
              last_used_at: text,
              messages: { type: 'integer' },
              stage: text,
              removable_at: { type: ['string', 'null'] },
              done: text,
            },
          },
        },
      },
    },
  },
})

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
