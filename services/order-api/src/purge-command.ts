import { parseArgs } from 'node:util'
import { parseInstant } from '@gateway/contracts'

/** A parsed command line. */
export type PurgeCommand =
  | { readonly kind: 'orders'; readonly orders: readonly { readonly merchantId: string; readonly orderId: string }[] }
  | { readonly kind: 'merchant'; readonly merchantId: string; readonly before: Date | undefined }
  | { readonly kind: 'due'; readonly fromStart: boolean }

export const USAGE = `purge-customers.ts order <merchant id> <order id>...       these orders
purge-customers.ts list <file>                             the orders of a file: <merchant id> <order id> on each line
purge-customers.ts merchant <merchant id> --before <time>  all orders of a merchant that were created before
purge-customers.ts merchant <merchant id> --all            all orders of a merchant
purge-customers.ts due [--from-start]                      what is past CUSTOMER_RETENTION_DAYS, which must be set; looks at everything again`

const MERCHANT_ID = /^[A-Za-z0-9_-]{1,64}$/u
const ORDER_ID = /^[A-Za-z0-9_-]{3,45}$/u
const OPTIONS = { before: { type: 'string' }, all: { type: 'boolean' }, 'from-start': { type: 'boolean' } } as const

/** Parses the command line: the command, or why it cannot be used. */
export function readPurgeCommand(
  args: readonly string[],
  readFile: (file: string) => string,
): PurgeCommand | { readonly problem: string } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true })
    const [kind, ...names] = positionals
    const given = Object.keys(values)
    if (kind === 'due' && names.length === 0 && given.every((name) => name === 'from-start'))
      return { kind, fromStart: values['from-start'] === true }
    if (kind === 'merchant') return merchantCommand(names, values)
    if (given.length > 0) return { problem: `--${String(given[0])} does not belong here` }
    if (kind === 'order') return ordersCommand(argumentsOf(names))
    if (kind === 'list' && names[0] !== undefined && names.length === 1) return ordersCommand(linesOf(readFile(names[0])))
    return { problem: 'what should be purged?' }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

interface Named {
  readonly merchantId: string
  readonly orderId: string
  /** Where it was named, for error messages. Never the text of a file's line: it may be personal data. */
  readonly where: string
}

function ordersCommand(named: readonly Named[]): PurgeCommand | { readonly problem: string } {
  if (named.length === 0) return { problem: 'which orders?' }
  // Every line is checked before any order is purged.
  const wrong = named.find(({ merchantId, orderId }) => !MERCHANT_ID.test(merchantId) || !ORDER_ID.test(orderId))
  if (wrong) return { problem: `${wrong.where} is not <merchant id> <order id>` }
  return { kind: 'orders', orders: named.map(({ merchantId, orderId }) => ({ merchantId, orderId })) }
}

function argumentsOf([merchantId = '', ...orderIds]: readonly string[]): Named[] {
  return orderIds.map((orderId) => ({ merchantId, orderId, where: `"${merchantId} ${orderId}"` }))
}

/** Skips empty lines and remarks after a `#`. */
function linesOf(text: string): Named[] {
  return text.split('\n').flatMap((line, index) => {
    const words = line.replace(/#.*$/u, '').trim()
    if (words === '') return []
    const [merchantId = '', ...more] = words.split(/\s+/u)
    return [{ merchantId, orderId: more.join(' '), where: `line ${index + 1}` }]
  })
}

function merchantCommand(
  [merchantId = '', ...more]: readonly string[],
  { before, all, 'from-start': fromStart }: { before?: string; all?: boolean; 'from-start'?: boolean },
): PurgeCommand | { readonly problem: string } {
  if (more.length > 0 || !MERCHANT_ID.test(merchantId)) return { problem: 'which merchant? One at a time' }
  if (fromStart === true) return { problem: '--from-start does not belong here' }
  // Purging everything takes an explicit --all: a forgotten option must not do it.
  if ((before === undefined) === (all !== true)) return { problem: '--before <time> or --all?' }
  const instant = before === undefined ? undefined : parseInstant(before)
  if (before !== undefined && !instant) return { problem: '--before must be a day such as 2026-11-21, or 2026-11-21T10:00:00Z' }
  return { kind: 'merchant', merchantId, before: instant }
}
