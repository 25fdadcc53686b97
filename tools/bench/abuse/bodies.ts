import { setTimeout as sleep } from 'node:timers/promises'
import { SCOPES } from '@gateway/contracts'
import { connectApi, createMerchant, makeToken, type ApiConnection } from '@gateway/testkit/merchants'
import { median, rounded } from '@gateway-tools/load/statistics'
import type { AbuseWorld } from './world.ts'

const [BYTES, ROUNDS, RATE_LIMITED] = [60_000, 5, 429]
/** Of so many medians some are high by chance: the highest are measured again, more often. */
const [AGAIN, ROUNDS_AGAIN] = [5, 31]
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

/** The longest time to refuse a body of 60 KB, as a multiple of an empty body's, over all schemas of request bodies. */
export async function worstBodyRatio({ stack }: AbuseWorld): Promise<number> {
  const found: { readonly ratio: number; readonly of: string; readonly again: () => Promise<number> }[] = []
  const opened: ApiConnection[] = []
  const ratiosAt = async (url: string, token: string, [method, path]: string[], fields: readonly string[], example = {}) => {
    const api = connectApi(url, { connections: 1 })
    opened.push(api)
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const call = async (body: string): Promise<number> => {
      const answer = await api.fetch(`${url}${path}`, { method: method ?? '', headers, body })
      // A refusal for that reason would be cheaper than one for the body.
      if ((await answer.text()).includes('"token_expired"')) throw new Error('the token has ended')
      return answer.status
    }
    for (const field of fields)
      for (const [index, worst] of WORST.entries()) {
        // Serialized before, so that only the server's work is timed.
        const body = JSON.stringify({ ...example, [field]: worst })
        const of = `${method} ${path}, ${field}, input ${index}`
        found.push({ ratio: await ratioOf(call, body, ROUNDS), of, again: () => ratioOf(call, body, ROUNDS_AGAIN) })
      }
  }
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
  found.sort((first, second) => second.ratio - first.ratio)
  const ratios: number[] = []
  for (const { of, again } of found.slice(0, AGAIN)) {
    const ratio = await again()
    ratios.push(ratio)
    console.error(`a body of 60 KB: ${rounded(ratio)} times an empty one: ${of}`)
  }
  await Promise.all(opened.map((api) => api.close()))
  return Math.max(...ratios)
}

async function ratioOf(call: (body: string) => Promise<number>, worst: string, rounds: number): Promise<number> {
  const tookMs: { readonly plain: number[]; readonly worst: number[] } = { plain: [], worst: [] }
  await call('{}')
  while (tookMs.worst.length < rounds) {
    tookMs.plain.push(await timeOf(() => call('{}')))
    tookMs.worst.push(await timeOf(() => call(worst)))
  }
  return median(tookMs.worst) / median(tookMs.plain)
}

async function timeOf(call: () => Promise<number>): Promise<number> {
  for (;;) {
    const beganMs = performance.now()
    const status = await call()
    if (status < 400) throw new Error('a hostile body was accepted')
    if (status !== RATE_LIMITED) return performance.now() - beganMs
    await sleep(1000)
  }
}
