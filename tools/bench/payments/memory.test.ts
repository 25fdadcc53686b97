import { growthOf, type MemorySample } from './memory.ts'

const samplesOf = (mbAt: (payments: number) => number, payments = 1000): MemorySample[] =>
  Array.from({ length: payments / 5 + 1 }, (_, index) => ({ payments: index * 5, mb: { one: mbAt(index * 5) } }))

test('memory that stays has the ratio 1, however it goes up and down between collections', () => {
  const { ratio, maxMb, addedPerTenthMb, tenthsMb } = growthOf(
    'one',
    samplesOf((payments) => 80 + (payments % 30)),
    1000,
  )
  expect([ratio, maxMb, addedPerTenthMb]).toEqual([1, 105, 0])
  expect(tenthsMb).toHaveLength(10)
})

test('a leak shows in the ratio, and in what each tenth adds', () => {
  const { ratio, addedPerTenthMb } = growthOf(
    'one',
    samplesOf((payments) => 100 + payments / 10),
    1000,
  )
  expect(ratio).toBeCloseTo(200 / 110)
  expect(addedPerTenthMb).toBeCloseTo(10)
})

test('what grew first and then stayed adds nothing', () => {
  expect(
    growthOf(
      'one',
      samplesOf((payments) => Math.min(60 + payments / 5, 130)),
      1000,
    ).addedPerTenthMb,
  ).toBe(0)
})

test('in a run that is shorter than the steps in which payments are made, what came before a mark counts', () => {
  const samples = [0, 300, 700, 1000].map((payments) => ({ payments, mb: { one: 100 + payments / 10 } }))
  const { ratio, tenthsMb } = growthOf('one', samples, 1000)
  expect(tenthsMb).toEqual([100, 100, 130, 130, 130, 130, 170, 170, 170, 200])
  expect(ratio).toBe(2)
})

test('a process that could not be read is no good figure', () => {
  expect(
    growthOf(
      'two',
      samplesOf(() => 1),
      1000,
    ).ratio,
  ).toBeNaN()
  expect(growthOf('one', [{ payments: 1000, mb: { one: NaN } }], 1000).maxMb).toBeNaN()
})
