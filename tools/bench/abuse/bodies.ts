import { setTimeout as sleep } from 'node:timers/promises'
import { SCOPES } from '@gateway/contracts'
import { connectApi, createMerchant, makeToken } from '@gateway/testkit/merchants'
import { median } from '@gateway-tools/load/statistics'
import type { AbuseWorld } from './world.ts'

const [BYTES, ROUNDS, RATE_LIMITED] = [60_000, 7, 429]
const WORST: readonly unknown[] = [
  Array.from({ length: BYTES / 12 }, (_, a) => ({ a })),
  Array.from({ length: BYTES / 2 }, () => 1),
  Object.fromEntries(Array.from({ length: BYTES / 11 }, (_, index) => [`a${index}`, 1])),
  ...['a', 'a.', '0-', ' '].map((text) => text.repeat(BYTES / text.length)),
]
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: { properties?: object }; example?: object }>> }
}
type Document = Readonly<Record<'paths', Readonly<Record<string, Readonly<Record<string, Operation>>>>>>
/** Bodies of operators, whose routes are in no document: service, path, fields. */
const OF_OPERATORS = [
  ['operator', '/operator/v1/merchants', ['name', 'vpa', 'mcc', 'scopes']],
  ['operator', '/operator/v1/merchants/mer_none/credentials', ['scopes', 'label', 'expires_at']],
  ['webhook_operator', '/operator/v1/deliveries/replay', ['merchant_id', 'from', 'reason', 'url', 'cursor']],
  ['ledger_operator', '/operator/v1/differences/none/resolve', ['note']],
] as const

/** The longest that a body of 60 KB takes to be refused, as a multiple of an empty body, over all schemas of a request's body. */
export async function worstBodyRatio({ stack }: AbuseWorld): Promise<number> {
  const ratiosAt = async (url: string, token: string, [method, path]: string[], fields: readonly string[], example = {}) => {
    const api = connectApi(url, { connections: 1 })
    const call = (body: object) => api.call(method ?? '', path ?? '', body, { authorization: `Bearer ${token}` })
    const plainMs = fields.length > 0 ? await timeOf(() => call({})) : NaN
    for (const field of fields)
      for (const worst of WORST) ratios.push((await timeOf(() => call({ ...example, [field]: worst }))) / plainMs)
    await api.close()
  }
  const ratios: number[] = []
  const token = await makeToken(await createMerchant(stack.operator, { name: 'Abused', scopes: SCOPES }))
  const { paths } = (await connectApi(stack.base_url).call<Document>('GET', '/openapi.json')).body
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { requestBody }] of Object.entries(operations)) {
      const { schema, example } = requestBody?.content['application/json'] ?? {}
      const target = [method.toUpperCase(), path.replaceAll(/[{}]/gu, '')]
      await ratiosAt(stack.base_url, token, target, Object.keys(schema?.properties ?? {}), example)
    }
  for (const [service, path, fields] of OF_OPERATORS)
    await ratiosAt(stack[service].url, stack[service].token, ['POST', path], fields)
  return Math.max(...ratios)
}

async function timeOf(call: () => Promise<{ status: number }>): Promise<number> {
  const tookMs: number[] = []
  while (tookMs.length < ROUNDS) {
    const beganMs = performance.now()
    const { status } = await call()
    if (status < 400) throw new Error('a hostile body was accepted')
    if (status === RATE_LIMITED) await sleep(1000)
    else tookMs.push(performance.now() - beganMs)
  }
  return median(tookMs)
}
