import { readQueryTable } from '@gateway/testkit/queries/table'
import { faultsOf, unseenRows, unseenSites } from './queries.ts'

const table = readQueryTable(`## \`order-api.orders\`
Shard key \`slot, _id\`.
| find | \`_id, slot\` | hot | a repeated create |
| count | – | background | an alert |

## Collections on one shard
| \`auth-token.merchants\` | few |
`)
const repeated = {
  collection: 'order-api.orders',
  command: 'find',
  names: ['_id', 'slot'],
  unfit: {},
  site: 'orders.ts:1',
} as const
const merchants = { collection: 'auth-token.merchants', command: 'find', names: [], unfit: {}, site: 'merchants.ts:2' } as const

test('queries that belong to the table have no faults', () => {
  expect(faultsOf(table, [repeated, merchants])).toEqual([])
})

test('a fault is told once, with a place that sends the query', () => {
  const withoutSlot = { ...repeated, names: ['_id'] }
  const faults = faultsOf(table, [withoutSlot, withoutSlot, { ...repeated, unfit: { hot: 'it names another slot' } }])
  expect(faults).toEqual([
    'order-api.orders: find `_id, slot` is hot, but it names another slot (orders.ts:1)',
    'order-api.orders: find `_id` has no row (orders.ts:1)',
  ])
})

test('a table with another shard key than the code is refused', () => {
  const other = readQueryTable('## `order-api.orders`\nShard key `_id`.\n')
  expect(faultsOf(other, [])).toEqual(['order-api.orders has the shard key slot, _id'])
})

test('rows, collections and calls that no test has shown are told', () => {
  const count = 'no test has a query of order-api.orders: | count | – | background | an alert |'
  expect(unseenRows(table, [repeated, merchants])).toEqual([count])
  expect(unseenRows(table, [repeated])).toEqual([count, 'no test has a query of auth-token.merchants'])
  expect(unseenSites([repeated], ['orders.ts:1', 'orders.ts:9'])).toEqual(['orders.ts:9'])
})
