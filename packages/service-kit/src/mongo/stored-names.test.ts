import { fromStoredNames, toStoredNames } from './stored-names.ts'

const at = new Date('2026-01-01T12:00:00Z')
const domain = {
  _id: 'T1',
  amountPaise: 49_900,
  order: { returnUrl: null, methods: ['upi'] },
  attempts: [{ id: 'A', startedAt: at }],
}
const stored = {
  _id: 'T1',
  amount_paise: 49_900,
  order: { return_url: null, methods: ['upi'] },
  attempts: [{ id: 'A', started_at: at }],
}

test('names are translated at every depth, values are not', () => {
  expect(toStoredNames(domain)).toEqual(stored)
  expect(fromStoredNames(stored)).toEqual(domain)
})
