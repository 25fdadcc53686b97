import { DELIVERY_MOVES, DELIVERY_STATES, type DeliveryStateName } from './states.ts'

const moves = Object.values(DELIVERY_MOVES)
const leadOutOf = (state: DeliveryStateName) =>
  Object.entries(DELIVERY_MOVES)
    .filter(([, { from }]) => from.some((one) => one === state))
    .map(([name]) => name)

test('every state is entered by a move and left by another', () => {
  expect(new Set(moves.flatMap(({ to }) => to))).toEqual(new Set(DELIVERY_STATES))
  for (const state of DELIVERY_STATES) expect(leadOutOf(state)).not.toEqual([])
})

test('a delivered webhook is sent again only on request; a dead one may also turn out to be acknowledged', () => {
  expect(leadOutOf('delivered')).toEqual(['reopen'])
  expect(leadOutOf('dead')).toEqual(['acknowledge', 'reopen'])
})
