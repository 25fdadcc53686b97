import { CONCURRENCIES, PARTS, readOptions } from './options.ts'

test('everything is measured unless parts are named', () => {
  expect(readOptions([])).toEqual({ parts: PARTS, quick: false, concurrencies: CONCURRENCIES })
  expect(readOptions(['--quick', '--concurrency', '1,64', '--only', 'create'])).toEqual({
    parts: ['create'],
    quick: true,
    concurrencies: [1, 64],
  })
})

test.each(['memory', 'parts'] as const)('%s is measured when it is named', (part) => {
  expect(readOptions([]).parts).not.toContain(part)
  expect(readOptions(['--only', part]).parts).toEqual([part])
})

test.each([[['--only', 'everything']], [['--only']], [['--fast']], [['--concurrency', 'many']]])(
  '%j is refused with what there is',
  (args) => {
    expect(() => readOptions(args)).toThrow(/There are: .*create/u)
  },
)
