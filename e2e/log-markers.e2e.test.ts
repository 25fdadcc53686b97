/** Sends private values, in a wrong form, in every public field, header, path and file: no log may hold one of them. */
import { eventually } from '@gateway/testkit'
import { openMerchant } from './support/merchant.ts'
import { sharedStack, type SharedStack } from './support/running-stack.ts'

const MARKERS = [
  '5200828282828210',
  'marker.person@okbank',
  'marker.person@example.com',
  '9123456780',
  'Marker Personsson',
] as const
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const COLUMNS = 'kind,reference,tr,rrn,amount,fee,tax,status,settled_on,settlement_id,utr'

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly allOf?: readonly Schema[]
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
}
interface Document {
  readonly paths: Readonly<Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

let stack: SharedStack
let document: Document
let authorization: string
beforeAll(async () => {
  stack = sharedStack()
  document = (await (await fetch(`${stack.description.base_url}/openapi.json`)).json()) as Document
  const merchant = await openMerchant(stack.description, 'Marker Stores')
  authorization = `Bearer ${await merchant.gateway.token()}`
})

/** Every property of a schema with the same value. */
function filled(schema: Schema | undefined, value: unknown, depth = 0): unknown {
  const resolved = schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  const parts = [resolved, ...(resolved?.allOf ?? [])]
  const properties = parts.flatMap((part) => Object.entries(part?.properties ?? {}))
  if (properties.length === 0 || depth > 3) return value
  return Object.fromEntries(properties.map(([name, child]) => [name, filled(child, value, depth + 1)]))
}

function bodiesOf({ requestBody }: Operation, marker: string): (string | undefined)[] {
  if (!requestBody) return [undefined]
  const [content] = Object.values(requestBody.content)
  const asText = [marker, [marker], { [marker]: marker }].map((value) => JSON.stringify(filled(content?.schema, value)))
  return [...asText, JSON.stringify({ [marker]: marker }), `{"order_id":"x",${marker}`, `"${marker}"`]
}

async function send(path: string, method: string, body: string | undefined, headers: Readonly<Record<string, string>>) {
  const answer = await fetch(stack.description.base_url + path, {
    method,
    headers: { 'content-type': 'application/json', authorization, ...headers },
    ...(body !== undefined && method !== 'get' && { body }),
    signal: AbortSignal.timeout(20_000),
  }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.status
}

// Proves: faults/logs-hold-no-personal-data
test('no private value of a request reaches a log, whatever is wrong with the request', async () => {
  const statuses = new Set<number | undefined>()
  for (const marker of MARKERS) {
    const coded = encodeURIComponent(marker)
    const headers = { 'idempotency-key': coded, 'x-request-id': marker.replace(' ', '.'), 'user-agent': coded, referer: coded }
    for (const [path, operations] of Object.entries(document.paths))
      for (const method of METHODS) {
        const operation = operations[method]
        if (!operation || path.includes('/listen')) continue
        const query = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => `${name}=${coded}`)
        const address = `${path.replace(/\{[^}]+\}/gu, coded)}?${query.join('&')}`
        for (const body of bodiesOf(operation, marker)) statuses.add(await send(address, method, body, headers))
      }
    for (const path of [`/checkout/${coded}`, `/${coded}`, `/api/v1/%E0%A4${coded}`, `/network/v1/callbacks?${coded}`])
      statuses.add(await send(path, 'post', `{"payer":{"vpa":"${marker}"`, { 'webhook-id': coded, 'webhook-signature': coded }))
  }
  expect([...statuses].filter((status) => status === 500)).toEqual([])
}, 300_000)

// Proves: faults/logs-hold-no-personal-data, ledger/bad-files-are-refused
test('no private value of a settlement file reaches a log or an answer', async () => {
  const { url, token } = stack.description.ledger_operator
  for (const marker of MARKERS) {
    const line = (cell: string): string => `capture,P1,T1,,499.00,1.00,0.18,succeeded,2026-11-04,SET-1,${cell}`
    const cells = [`${marker}"`, ` "${marker}"`, `"${marker}"x`, `"${marker}`, marker.repeat(2000)]
    for (const text of [
      ...cells.map((cell) => `${COLUMNS}\n${line(cell)}\n`),
      `${marker}\n${COLUMNS}\n`,
      `${marker}\t${marker}\n`,
      `<${marker}`,
    ]) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }
      const answer = await fetch(`${url}/operator/v1/settlement-files`, { method: 'POST', headers, body: text })
      expect([text.slice(0, 200), answer.status]).toEqual([text.slice(0, 200), 422])
      expect(await answer.text()).not.toContain(marker)
    }
  }
})

// Proves: faults/logs-hold-no-personal-data
test('the logs have the requests, and none of the values', async () => {
  const last = await fetch(`${stack.description.base_url}/api/v1/orders`, { headers: { authorization } })
  const id = last.headers.get('x-request-id') ?? 'none'
  await eventually(() => expect(stack.logs().get('api-gateway')?.includes(id)).toBe(true))
  const written = MARKERS.flatMap((marker) => [marker, encodeURIComponent(marker), marker.replace(' ', '.')])
  const found = [...stack.logs()].flatMap(([service, log]) =>
    log
      .split('\n')
      .flatMap((text) => (written.some((marker) => text.includes(marker)) ? [`${service}: ${text.slice(0, 600)}`] : [])),
  )
  expect(found.slice(0, 10)).toEqual([])
})
