import { QUERY_CLASSES, type QueryClass, type Statement } from './statements.ts'

/** A row of a collection's table in docs/scaling-queries.md. */
export interface QueryRow {
  /** `<service>.<collection>`, or `*` for the commands of `infra` on every collection. */
  readonly collection: string
  readonly command: string
  /** The fields that each statement of this row names. */
  readonly required: readonly string[]
  /** The fields that it may name. */
  readonly optional: readonly string[]
  readonly class: QueryClass
  /** The row as it is written. */
  readonly text: string
}

/** The page, parsed. */
export interface QueryTable {
  readonly rows: readonly QueryRow[]
  /** The shard key's fields of each collection with a table. */
  readonly keys: ReadonlyMap<string, readonly string[]>
  /** Collections that are not divided, `*.<collection>` for those of several services: every query of them goes to one shard. */
  readonly onOneShard: ReadonlySet<string>
}

const HEADING = /^## (?:`(?<collection>[^`]+)`)?/u
const KEY = /^Shard key `(?<fields>[^`]+)`/u
const ROW = /^\| (?<command>find|count|aggregate|insert|update|delete) \| (?:`(?<names>[^`]+)`|–) \| (?<class>[a-z ]+) \| .+ \|$/u
const SMALL = /^\| `(?<collection>[^`]+)` \| .+ \|$/u

/** Reads the page. Throws for a row of a table that it does not understand. */
export function readQueryTable(page: string): QueryTable {
  const [rows, keys, onOneShard]: [QueryRow[], Map<string, string[]>, Set<string>] = [[], new Map(), new Set()]
  let collection: string | undefined
  for (const line of page.split('\n')) {
    const heading = HEADING.exec(line)
    if (heading) collection = heading.groups?.['collection']
    const { fields } = KEY.exec(line)?.groups ?? {}
    if (collection !== undefined && fields !== undefined) keys.set(collection, fields.split(', '))
    const small = collection === undefined ? SMALL.exec(line)?.groups?.['collection'] : undefined
    if (small !== undefined) onOneShard.add(small)
    if (collection !== undefined && line.startsWith('| ') && !line.startsWith('| command')) rows.push(readRow(collection, line))
  }
  return { rows, keys, onOneShard }
}

function readRow(collection: string, text: string): QueryRow {
  const { command = '', names = '', class: name } = ROW.exec(text)?.groups ?? {}
  const found = QUERY_CLASSES.find((known) => known === name)
  if (!found) throw new Error(`the table of ${collection} has a row of another form: ${text}`)
  const all = names.split(', ').filter(Boolean)
  const optional = all.filter((one) => one.startsWith('[')).map((one) => one.slice(1, -1))
  return { collection, command, required: all.filter((one) => !one.startsWith('[')), optional, class: found, text }
}

/** Where a statement belongs: its row, its small collection, or the fault that keeps it from belonging anywhere. */
export type Sorted = { readonly row: QueryRow } | { readonly onOneShard: string } | { readonly fault: string }

/** Sorts a statement into the table. `site` is where it was sent: the services' have rows of the collection, those of `infra` other rows. */
export function sortStatement({ rows, onOneShard }: QueryTable, statement: Statement & { readonly site?: string }): Sorted {
  const { collection, command, names, unfit } = statement
  const small = [collection, collection.replace(/^[^.]+/u, '*')].find((name) => onOneShard.has(name))
  if (small !== undefined) return { onOneShard: small }
  const what = `${collection}: ${command} ${names.length === 0 ? '–' : `\`${names.join(', ')}\``}`
  const place = statement.site?.startsWith('infra/') ? '*' : collection
  const [row, another] = rows.filter((one) => one.collection === place && fits(one, statement))
  if (!row) return { fault: `${what} has no row` }
  if (another) return { fault: `${what} has two rows: ${row.text} ${another.text}` }
  const reason = unfit[row.class]
  return reason === undefined ? { row } : { fault: `${what} is ${row.class}, but ${reason}` }
}

function fits(row: QueryRow, { command, names }: Statement): boolean {
  return (
    row.command === command &&
    row.required.every((name) => names.includes(name)) &&
    names.every((name) => row.required.includes(name) || row.optional.includes(name))
  )
}
