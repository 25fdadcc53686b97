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

/** Prints one delivery: its attempts with their addresses, and the body that is sent. */
export const inspect: Command = async (context, args) => {
  const { positionals } = readOptions(args, {})
  const [id, ...more] = positionals
  if (id === undefined || more.length > 0) throw new UserError('inspect takes one delivery id')
  const { data } = await operatorApi(context).get(`/operator/v1/deliveries/${encodeURIComponent(id)}`, {}, inspected)
  console.log(JSON.stringify(data.delivery, null, 2))
  return 0
}
