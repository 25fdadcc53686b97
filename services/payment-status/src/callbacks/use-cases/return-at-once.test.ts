import type { ReversalAnswer } from '../../payments/index.ts'
import { makeReturnAtOnce } from './return-at-once.ts'

/** A network that answers about each reference what the test says, and the alerts that were raised. */
function aWorld(answers: Record<string, ReversalAnswer>) {
  const asked: string[] = []
  const alerts: string[] = []
  const returnAtOnce = makeReturnAtOnce({
    network: {
      reverse: async (_transactionId, { reference }) => {
        asked.push(reference)
        return answers[reference] ?? 'unclear'
      },
    },
    log: { error: () => undefined },
    alerts: { inc: (labels) => void alerts.push(JSON.stringify(labels)) },
  })
  const give = (...references: string[]) =>
    returnAtOnce(
      'T1',
      references.map((reference) => ({ reference, amount_paise: 49_900, reason: 'late' as const })),
    )
  return { give, asked, alerts, answers }
}
const TOO_MANY = '{"kind":"too_many_payments"}'

// Proves: money/excess-captures-go-back-part-by-part
test('a refused reversal of an excess capture raises its own alert', async () => {
  const { give, alerts } = aWorld({ R1: { status: 'failed' } })
  expect(await give('R1')).toBe(true)
  expect(alerts).toEqual([TOO_MANY, '{"kind":"reversal_refused"}'])
})

test('what has ended is neither asked nor alerted again; what has not is', async () => {
  const { give, asked, alerts, answers } = aWorld({ R1: { status: 'succeeded' }, R2: { status: 'pending' } })
  expect(await give('R1', 'R2', 'R3')).toBe(false)
  answers['R2'] = { status: 'succeeded' }
  answers['R3'] = { status: 'succeeded' }
  expect(await give('R1', 'R2', 'R3')).toBe(true)
  expect(asked).toEqual(['R1', 'R2', 'R3', 'R2', 'R3'])
  expect(alerts).toEqual(Array.from({ length: 5 }, () => TOO_MANY))
})
