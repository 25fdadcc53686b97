import { slotDigits } from '@gateway/contracts'
import { statementsOf } from './statements.ts'
import { readQueryTable, sortStatement } from './table.ts'

const PAGE = `# Queries
## \`payment-status.transactions\`
Shard key \`slot, order_key\`.

| command | names | class | for |
|---|---|---|---|
| find | \`_id, slot\` | hot | a callback's transaction |
| find | \`outbox.at range, [_id]\` | background | left-over events |
| find | \`[_id range]\` | background | pages for the audit |

## \`*\`
| command | names | class | for |
|---|---|---|---|
| find | \`[_id range]\` | operator | a backup |
| delete | – | operator | a rebuild |

## Collections on one shard
| collection | why it stays small |
|---|---|
| \`auth-token.merchants\` | one document a merchant |
| \`*.partitions\` | one document |
`
const table = readQueryTable(PAGE)
const [FIRST, SECOND] = [7, 900].map((slot) => `01KAVWQZ5E8J3N7R2T4V6X9YBC${slotDigits(slot)}`)

function sorted(service: string, command: Record<string, unknown>, site = 'services/x.ts:1') {
  const [statement] = statementsOf(service, command)
  if (!statement) throw new Error('the command has no statement')
  const place = sortStatement(table, { ...statement, site })
  return 'row' in place ? place.row.text : 'fault' in place ? place.fault : `on one shard: ${place.onOneShard}`
}
const find = (filter: object, rest: object = {}) => sorted('payment-status', { find: 'transactions', filter, ...rest })

test('the page has the shard keys, the rows and the small collections', () => {
  expect(table.keys).toEqual(new Map([['payment-status.transactions', ['slot', 'order_key']]]))
  expect(table.rows).toHaveLength(5)
  expect(table.onOneShard).toEqual(new Set(['auth-token.merchants', '*.partitions']))
})

test('a row of another form is refused', () => {
  expect(() => readQueryTable('## `a.b`\n| find | `_id` | lukewarm | nothing |')).toThrow('has a row of another form')
})

test('each query goes to its row', () => {
  const bytes = (from: string) => ({ _id: { $gt: from } })
  expect(find({ _id: FIRST, slot: 7 })).toContain("a callback's transaction")
  expect(find({ 'outbox.at': { $lte: new Date() }, _id: { $nin: [] } }, { limit: 500 })).toContain('left-over events')
  expect(find(bytes('a'), { limit: 500 })).toContain('pages for the audit')
  expect(sorted('ledger', { find: 'entries', filter: bytes('a'), limit: 500 }, 'infra/local/dump.ts:1')).toContain('a backup')
  expect(sorted('ledger', { find: 'entries', filter: bytes('a'), limit: 500 })).toContain('has no row')
  expect(sorted('auth-token', { find: 'merchants', filter: { name: 'x' } })).toBe('on one shard: auth-token.merchants')
  expect(sorted('ledger', { find: 'partitions', filter: {} })).toBe('on one shard: *.partitions')
})

// Proves: scale/queries-are-classified
test('a hot query that loses its slot has no row', () => {
  expect(find({ _id: FIRST })).toBe('payment-status.transactions: find `_id` has no row')
})

// Proves: scale/queries-are-classified
test('a batch that names fewer slots than documents is no hot query', () => {
  expect(find({ _id: { $in: [FIRST, SECOND] }, slot: { $in: [7, 900] } })).toContain("a callback's transaction")
  expect(find({ _id: { $in: [FIRST, SECOND] }, slot: 7 })).toBe(
    'payment-status.transactions: find `_id, slot` is hot, but it does not name the slots of all documents by _id',
  )
})

// Proves: scale/queries-are-classified
test('a background query without a bound is refused', () => {
  expect(find({ 'outbox.at': { $lte: new Date() } })).toBe(
    'payment-status.transactions: find `outbox.at range` is background, but it has neither a limit nor a range with two ends',
  )
})

test('a collection that is on no list has no row', () => {
  expect(sorted('auth-token', { find: 'secrets', filter: { name: 'x' } })).toBe('auth-token.secrets: find `name` has no row')
})

test('two rows for one query are refused', () => {
  const twice = readQueryTable(PAGE.replace('| find | `[_id range]` | background |', '| find | `_id, slot, [x]` | background |'))
  const [statement] = statementsOf('payment-status', { find: 'transactions', filter: { _id: FIRST, slot: 7 } })
  expect(statement && sortStatement(twice, statement)).toMatchObject({
    fault: expect.stringContaining('has two rows') as unknown,
  })
})
