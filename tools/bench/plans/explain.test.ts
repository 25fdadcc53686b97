import { judgePlan } from './explain.ts'

const ferretdb = (...plans: object[]) => ({
  Plan: { 'Node Type': 'Limit', Plans: [{ 'Node Type': 'Custom Scan', Plans: plans }] },
})
const byPrimaryKey =
  "((shard_key_value = '4'::bigint) AND (object_id OPERATOR(documentdb_core.=) 'BSONHEX26'::documentdb_core.bson))"

test.each([
  ['the primary key', { 'Node Type': 'Index Scan', 'Index Name': '_id_', 'Index Cond': byPrimaryKey }, '_id_'],
  [
    'a bitmap of an index',
    {
      'Node Type': 'Bitmap Heap Scan',
      Plans: [{ 'Node Type': 'Bitmap Index Scan', 'Index Name': 'due_at', 'Index Cond': '(document @<= X)' }],
    },
    'due_at',
  ],
])('FerretDB looks into %s', (_what, plan, index) => {
  expect(judgePlan(ferretdb(plan))).toEqual({ indexes: [index], usesIndex: true })
})

test.each([
  ['the whole table', { 'Node Type': 'Seq Scan', Filter: '(document @<= X)' }],
  ['the whole table, shared', { 'Node Type': 'Gather Merge', Plans: [{ 'Node Type': 'Seq Scan', 'Parallel Aware': true }] }],
  ['the whole primary key', { 'Node Type': 'Index Scan', 'Index Name': '_id_', 'Index Cond': "(shard_key_value = '4'::bigint)" }],
  ['a whole index', { 'Node Type': 'Index Scan', 'Index Name': 'due_at' }],
])('FerretDB reads %s', (_what, plan) => {
  expect(judgePlan(ferretdb(plan)).usesIndex).toBe(false)
})

test('one branch that reads everything is enough', () => {
  const good = { 'Node Type': 'Bitmap Index Scan', 'Index Name': 'dead', 'Index Cond': '(document @= X)' }
  expect(judgePlan(ferretdb(good, { 'Node Type': 'Seq Scan' })).usesIndex).toBe(false)
})

test('a plan in which nothing that reads is recognised proves nothing', () => {
  expect(judgePlan({ somethingNew: { stage: 'FETCH' } })).toEqual({ indexes: [], usesIndex: false })
})

test('MongoDB names stages', () => {
  const winning = (inputStage: object) => ({ winningPlan: { stage: 'FETCH', inputStage } })
  expect(judgePlan(winning({ stage: 'IXSCAN', indexName: 'order_key' }))).toEqual({ indexes: ['order_key'], usesIndex: true })
  expect(judgePlan(winning({ stage: 'COLLSCAN' })).usesIndex).toBe(false)
  expect(judgePlan({ winningPlan: { stage: 'IDHACK' } })).toEqual({ indexes: ['_id_'], usesIndex: true })
})
