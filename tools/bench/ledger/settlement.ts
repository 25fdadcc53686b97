/** A settlement file with known differences, and what the ledger finds. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stack } from '@gateway-infra/local/stack-file'
import { operatorClient } from '@gateway/testkit'
import { pagesOf } from '@gateway-tools/load/pages'
import { movementsOf, type StoredPayments } from './fill.ts'

const HEADER = 'kind,reference,tr,rrn,amount,fee,tax,status,settled_on,settlement_id,utr\r\n'
/** One line in so many has a difference; the six classes take turns. */
const PLANTED_EVERY = 997
const CLASSES = ['amount_differs', 'status_differs', 'duplicate', 'unreadable', 'missing_at_us', 'missing_at_bank'] as const
const LINES_PER_CHUNK = 500

type LedgerOperator = Stack['ledger_operator']

/** The class and the reference, or the line of an unreadable one. */
type Finding = `${string} ${string | number}`

/** Writes the file; `planted` is complete when it has been read. */
export function settlementFile(plan: StoredPayments, settledOn: string) {
  const planted = new Set<Finding>()
  function* text(): Generator<Uint8Array> {
    const encoder = new TextEncoder()
    let [line, count, chunk] = [1, 0, HEADER]
    let [kind, merchant] = ['', 0]
    const write = (reference: string, amount: string, status = 'succeeded'): number => {
      chunk += `${kind},${reference},,,${amount},1.00,0.18,${status},${settledOn},SET-${merchant},UTR${merchant}\r\n`
      return ++line
    }
    for (const movement of movements(plan.total)) {
      const { reference, paise, number } = movement
      ;[kind, merchant] = [movement.kind, number % plan.merchantIds.length]
      const amount = (paise / 100).toFixed(2)
      const name = ++count % PLANTED_EVERY === 0 ? CLASSES[(count / PLANTED_EVERY) % CLASSES.length] : undefined
      if (name === 'missing_at_us') planted.add(`missing_at_us OTHER-${reference}`)
      else if (name !== undefined && name !== 'unreadable') planted.add(`${name} ${reference}`)
      if (name === 'amount_differs') write(reference, '2.00')
      else if (name === 'status_differs') write(reference, amount, 'failed')
      else if (name !== 'missing_at_bank') write(reference, amount)
      if (name === 'duplicate') write(reference, amount)
      if (name === 'missing_at_us') write(`OTHER-${reference}`, amount)
      if (name === 'unreadable') planted.add(`unreadable ${write(reference, 'much')}`)
      if (count % LINES_PER_CHUNK !== 0) continue
      yield encoder.encode(chunk)
      chunk = ''
    }
    yield encoder.encode(chunk)
  }
  return { planted, text }
}

function* movements(total: number) {
  for (let number = 0; number < total; number++) for (const movement of movementsOf(number)) yield { ...movement, number }
}

const FILES = '/operator/v1/settlement-files'
const LOOK_EVERY_MS = 500

/** Uploads and waits for the end of the import; resolves to the file's id. */
export async function importFile(api: LedgerOperator, text: Iterable<Uint8Array>): Promise<string> {
  const headers = { authorization: `Bearer ${api.token}`, 'content-type': 'text/csv' }
  const uploaded = await fetch(`${api.url}${FILES}`, { method: 'POST', headers, body: ReadableStream.from(text), duplex: 'half' })
  if (uploaded.status !== 202) throw new Error(`the file was refused: ${await uploaded.text()}`)
  const { id } = ((await uploaded.json()) as FileAnswer).data.file
  const operator = operatorClient(api)
  while ((await operator<FileAnswer>('GET', `${FILES}/${id}`)).body.data.file.state !== 'imported') await sleep(LOOK_EVERY_MS)
  return id
}

interface FileAnswer {
  readonly data: { readonly file: { readonly id: string; readonly state: string } }
}

interface Differences {
  readonly data: { readonly differences: readonly { class: string; reference: string | null; line: number | null }[] }
  readonly next_cursor: string | null
}

/** Every difference of the file. */
export async function findingsOf(api: LedgerOperator, file: string): Promise<Set<Finding>> {
  const found = new Set<Finding>()
  for await (const { data } of pagesOf<Differences>(operatorClient(api), `${FILES}/${file}/differences?limit=500`))
    for (const one of data.differences) found.add(`${one.class} ${one.reference ?? one.line ?? ''}`)
  return found
}
