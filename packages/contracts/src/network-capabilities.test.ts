import { downtimes, isDown } from './network-capabilities.ts'

test.each([
  ['before it begins', '09:59:59', '11:00:00', false],
  ['from its beginning', '10:00:00', '11:00:00', true],
  ['until just before its end', '10:59:59', '11:00:00', true],
  ['from its end', '11:00:00', '11:00:00', false],
  ['for as long as its end is unknown', '23:00:00', null, true],
])('a downtime counts %s', (_when, now, end, expected) => {
  const at = (time: string) => `2026-01-01T${time}Z`
  expect(isDown({ began_at: at('10:00:00'), ended_at: end && at(end) }, new Date(at(now)))).toBe(expected)
})

test('a list of downtimes needs method, severity and began_at, and ignores unknown fields', () => {
  const one = { method: 'netbanking', severity: 'high', began_at: '2026-01-01T10:00:00Z' }
  expect(downtimes([one, { ...one, instrument: 'HDFC', ended_at: null, cause: 'maintenance' }])).toBe(true)
  for (const wrong of [{ ...one, method: 'cash' }, { ...one, severity: 'total' }, { ...one, began_at: 'now' }, {}])
    expect(downtimes([wrong])).toBe(false)
})
