import { timing } from '../../../test/data.ts'
import { timingWithin, upiDelaysWithin, type EnquiryLimits } from './schedule.ts'

const seconds = (delays: readonly number[] | undefined) => delays?.map((ms) => ms / 1000)
const inProduction = { ...timing, upiEnquiryDelaysMs: [90_000, 600_000] }

// Proves: connector/enquiry-schedule-follows-capabilities
test.each<[what: string, limits: EnquiryLimits, expected: number[]]>([
  ['no limits: as configured', undefined, [90, 600]],
  ['null: as configured', null, [90, 600]],
  ['the first comes later', { first_after_ms: 120_000, max: 3 }, [120, 600]],
  ['two in all: one, and one before giving up', { first_after_ms: 90_000, max: 2 }, [90]],
  ['a single one', { first_after_ms: 90_000, max: 1 }, [90]],
  ['more than configured: never more than configured', { first_after_ms: 60_000, max: 50 }, [60, 600]],
])('the pauses of UPI with %s', (_what, limits, expected) => {
  expect(seconds(upiDelaysWithin(limits, inProduction))).toEqual(expected)
})

// Proves: connector/enquiry-schedule-follows-capabilities
test('where UPI is asked like other methods, only a limit that matters changes its pauses', () => {
  expect(upiDelaysWithin({ first_after_ms: 0, max: 1000 }, timing)).toBeUndefined()
  expect(seconds(upiDelaysWithin({ first_after_ms: 90_000, max: 1000 }, timing))).toEqual([90, 60])
  expect(seconds(upiDelaysWithin({ first_after_ms: 0, max: 2 }, timing))).toEqual([0])
})

test('the timing follows what the connector says at the moment', () => {
  let limits: EnquiryLimits = null
  const live = timingWithin(() => limits, inProduction)
  expect(seconds(live.upiEnquiryDelaysMs)).toEqual([90, 600])
  limits = { first_after_ms: 30_000, max: 2 }
  expect(seconds(live.upiEnquiryDelaysMs)).toEqual([30])
  expect(live.enquiryGraceMs).toBe(timing.enquiryGraceMs)
})
