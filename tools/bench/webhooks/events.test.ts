import { endpointOf, makeEvents } from './events.ts'

test('events are spread evenly over the endpoints, and an id says which is its own', () => {
  const events = makeEvents(1000, 300, 100)
  const counts = Map.groupBy(events, ({ id }) => endpointOf(id, 100))
  expect([...counts.values()].map((each) => each.length)).toEqual(Array(100).fill(3))
  for (const { id, data } of events) expect(data.merchant_id.endsWith(String(endpointOf(id, 100)).padStart(4, '0'))).toBe(true)
})
