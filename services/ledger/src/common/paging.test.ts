import { ValidationFailed } from '@gateway/contracts'
import { checkRanges, type Ranges } from './paging.ts'

const errorsOf = (ranges: Ranges): ValidationFailed['errors'] => {
  try {
    checkRanges(ranges)
    return []
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors
    throw error
  }
}

test('a range that ends before it begins is refused, and both fields are named when both are wrong', () => {
  const from = { field: '/from', message: 'must not be later than to' }
  const amount = { field: '/amount_min', message: 'must not be more than amount_max' }
  expect(errorsOf({ from: '2026-11-22', to: '2026-11-21' })).toEqual([from])
  // Instants are compared, not texts: the first is 18:30 in UTC.
  expect(errorsOf({ from: '2026-11-22T00:00:00+05:30', to: '2026-11-21T18:29:59.999Z' })).toEqual([from])
  expect(errorsOf({ from: '2026-11-22T00:00:00+05:30', to: '2026-11-21T18:30:00Z' })).toEqual([])
  expect(errorsOf({ minPaise: 101, maxPaise: 100 })).toEqual([amount])
  expect(errorsOf({ from: '2026-11-22', to: '2026-11-21', minPaise: 2, maxPaise: 1 })).toEqual([from, amount])
})

test('a range with one end, or with equal ends, is allowed', () => {
  expect(errorsOf({})).toEqual([])
  expect(errorsOf({ from: '2026-11-22' })).toEqual([])
  expect(errorsOf({ to: '2026-11-22', minPaise: 5 })).toEqual([])
  expect(errorsOf({ from: '2026-11-22', to: '2026-11-22', minPaise: 5, maxPaise: 5 })).toEqual([])
})
