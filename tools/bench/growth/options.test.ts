import { PARTS, readOptions } from './options.ts'

test('everything is measured, a million stored, unless it is said otherwise', () => {
  expect(readOptions([])).toEqual({ parts: PARTS, small: 10_000, large: 1_000_000, payments: 100_000, rounds: 5 })
  expect(readOptions(['--large', '20000', '--only', 'growth,plans'])).toMatchObject({ parts: ['growth', 'plans'], large: 20_000 })
})

test('what is said counts more than --quick, wherever it stands', () => {
  expect(readOptions(['--rounds', '3', '--quick'])).toEqual({ ...readOptions(['--quick']), rounds: 3 })
})

test.each([[['--only', 'everything']], [['--only']], [['--fast']], [['--large', 'many']], [['--small', '-1']], [['--payments']]])(
  '%j is refused with what there is',
  (args) => {
    expect(() => readOptions(args)).toThrow(/There are: /u)
  },
)
