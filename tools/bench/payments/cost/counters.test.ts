import { eachSection, growthOf, perSecond, perUnit, type Counters, type Readings } from './counters.ts'

const cpu = (counters: Counters): Readings => eachSection((section) => (section === 'cpu' ? counters : {}))

test('a counter has grown by what is more, from zero when it was not there before', () => {
  expect(growthOf(cpu({ gateway: 100 }), cpu({ gateway: 340, broker: 7 }))).toEqual(cpu({ gateway: 240, broker: 7 }))
})

test('what an idle system uses in the same time is not a cost of payments', () => {
  const idle = { seconds: 10, growth: cpu({ gateway: 50 }) }
  const busy = { seconds: 20, growth: cpu({ gateway: 500, dispatcher: 80 }) }
  expect(perSecond(idle)).toEqual(cpu({ gateway: 5 }))
  expect(perUnit(busy, idle, 40)).toEqual(cpu({ gateway: 10, dispatcher: 2 }))
})
