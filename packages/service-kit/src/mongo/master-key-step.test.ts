import { reportMasterKeys } from './master-key-step.ts'

const place = (name: string, counts: Record<string, number>, closed: string[] = []) => ({
  place: name,
  counts: new Map(Object.entries(counts)),
  closed,
})

test('an old key may go once nothing is sealed under it', () => {
  expect(reportMasterKeys([place('credentials', { k2: 3 }), place('signing keys', {})], ['k2', 'k1'])).toEqual({
    done: true,
    lines: [
      'credentials: 3 under k2 (seals)',
      'signing keys: nothing',
      "k1: can be removed from this service's MASTER_KEYS, once every replica seals with the new key",
    ],
  })
})

// Proves: operate/removable-key-is-unused
test('while anything needs an old key, no key is said to be removable', () => {
  const report = reportMasterKeys([place('credentials', { k1: 2, k2: 1 }), place('signing keys', { k2: 1 })], ['k2', 'k1', 'k0'])
  expect(report).toEqual({
    done: false,
    lines: [
      'credentials: 1 under k2 (seals), 2 under k1',
      'signing keys: 1 under k2 (seals)',
      'k1: must stay, 2 need it: reseal',
      'k0: must stay until everything above is settled',
    ],
  })
})

// Proves: operate/removable-key-is-unused
test('secrets that no given key opens are named, with the missing key', () => {
  const report = reportMasterKeys([place('credentials', { k2: 1, k0: 1 }, ['mer_1 key_1'])], ['k2', 'k1'])
  expect(report.done).toBe(false)
  expect(report.lines).toContain('cannot be opened: credentials of mer_1 key_1')
  expect(report.lines).toContain('k0: 1 need it and it is not in MASTER_KEYS: put it back')
  expect(report.lines.join()).not.toContain('can be removed')
})

test('a changed text under the current key is not settled either', () => {
  expect(reportMasterKeys([place('credentials', { k2: 1 }, ['mer_1 key_1'])], ['k2', 'k1']).done).toBe(false)
})

test('with one key there is nothing to remove', () => {
  expect(reportMasterKeys([place('credentials', { k1: 1 })], ['k1'])).toEqual({
    done: true,
    lines: ['credentials: 1 under k1 (seals)', 'everything is sealed under k1, the only key'],
  })
})
