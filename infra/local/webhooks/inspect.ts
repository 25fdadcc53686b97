import { compile } from '@gateway/contracts'
import type { Command } from '@gateway-infra/system/context'
import { UserError } from '@gateway-infra/system/user-error'
import { operatorApi } from './operator-api.ts'
import { readOptions } from './options.ts'

const inspected = compile({
  type: 'object',
  required: ['data'],
  properties: { data: { type: 'object', required: ['delivery'], properties: { delivery: { type: 'object' } } } },
})

/** One delivery with its attempts, where each went, and the body as it is sent. */
export const inspect: Command = async (context, args) => {
  const { positionals } = readOptions(args, {})
  const [id, ...more] = positionals
  if (id === undefined || more.length > 0) throw new UserError('inspect takes one delivery id')
  const { data } = await operatorApi(context).get(`/operator/v1/deliveries/${encodeURIComponent(id)}`, {}, inspected)
  console.log(JSON.stringify(data.delivery, null, 2))
  return 0
}
