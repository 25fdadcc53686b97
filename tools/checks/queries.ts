/** After the tests: every query that services have sent is in the table of docs/scaling-queries.md and is what its row says. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { shardKeyOf } from '@gateway/testkit/queries/statements'
import type { RecordedStatement } from '@gateway/testkit/queries/recorder'
import { readQueryTable, sortStatement, type QueryTable } from '@gateway/testkit/queries/table'
import { querySites } from './query-sites.ts'

const PAGE = 'docs/scaling-queries.md'

/**
 * Runs tests whose services record their queries, and sorts these into the table. Resolves to the exit code of the tests, or to 1 when a
 * query does not belong there. When all tests have passed, also for a row of which they have seen no query; calls in the code that
 * they have not shown are only printed.
 *
 * @param isWhole true when all tests run
 */
export async function withQueryCheck(isWhole: boolean, run: (env: NodeJS.ProcessEnv) => Promise<number>): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-queries-'))
  try {
    const code = await run({ QUERY_RECORDS: directory })
    const statements = await readRecords(directory)
    const table = readQueryTable(await readFile(join(ROOT, PAGE), 'utf8'))
    const passed = isWhole && code === 0
    const faults = [...faultsOf(table, statements), ...(passed ? unseenRows(table, statements) : [])]
    for (const fault of faults) console.error(`${PAGE}: ${fault}`)
    if (passed) for (const site of unseenSites(statements, querySites())) console.error(`no test has shown the query at ${site}`)
    return code === 0 && faults.length > 0 ? 1 : code
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function readRecords(directory: string): Promise<RecordedStatement[]> {
  const texts = await Promise.all((await readdir(directory)).map((file) => readFile(join(directory, file), 'utf8')))
  const lines = new Set(texts.flatMap((text) => text.split('\n').filter(Boolean)))
  return [...lines].map((line) => JSON.parse(line) as RecordedStatement)
}

/** What is wrong with the queries, each with a place that sends it. */
export function faultsOf(table: QueryTable, statements: readonly RecordedStatement[]): string[] {
  const faults = new Map<string, string>()
  for (const statement of statements) {
    const place = sortStatement(table, statement)
    if ('fault' in place) faults.set(place.fault, statement.site ?? 'unknown code')
  }
  const wrongKeys = [...table.keys].flatMap(([collection, key]) => {
    const [service = '', name = ''] = collection.split('.')
    const own = shardKeyOf(service, name)?.join(', ')
    return own === key.join(', ') ? [] : [`${collection} has the shard key ${own ?? 'none'}`]
  })
  return [...[...faults].map(([fault, site]) => `${fault} (${site})`).toSorted(), ...wrongKeys]
}

/** Rows of the services of which the tests have seen no query. */
export function unseenRows(table: QueryTable, statements: readonly RecordedStatement[]): string[] {
  const used = new Set(
    statements.map((statement) => {
      const place = sortStatement(table, statement)
      return 'row' in place ? place.row : 'onOneShard' in place ? place.onOneShard : undefined
    }),
  )
  return [
    ...table.rows
      .filter((row) => row.collection !== '*' && !used.has(row))
      .map(({ collection, text }) => `no test has a query of ${collection}: ${text}`),
    ...[...table.onOneShard].filter((name) => !used.has(name)).map((name) => `no test has a query of ${name}`),
  ]
}

/** Calls in the code that the tests have not shown. */
export function unseenSites(statements: readonly RecordedStatement[], sites: readonly string[]): string[] {
  const ran = new Set(statements.map(({ site }) => site))
  return sites.filter((site) => !ran.has(site))
}
