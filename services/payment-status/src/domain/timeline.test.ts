import { at, opened } from '../../test/data.ts'
import { timelineOf } from './timeline.ts'

const kindsOf = (events: ReturnType<typeof timelineOf>) =>
  events.map(({ kind, detail }) => `${kind} ${detail['status'] ?? ''}`.trim())

test('a declined payment whose money arrived late is told in the order in which it happened', () => {
  const attempt = { id: 'A1', method: 'upi' as const, reference: 'R1', startedAt: at(5) }
  const transaction = {
    ...opened(),
    status: 'Failed' as const,
    sequence: 3,
    failureReason: 'declined' as const,
    finalAt: at(10),
    attempts: [
      {
        ...attempt,
        ...{ status: 'failed' as const, failureReason: 'declined' as const, failureCode: 'limit_exceeded' as const },
        endedAt: at(10),
      },
    ],
    reversals: [
      {
        ...{ reference: 'R2', amountPaise: 49900, reason: 'late' as const, status: 'succeeded' as const },
        ...{ requestedAt: at(20), completedAt: at(21), asked: 3, dueAt: null },
      },
    ],
  }
  const times = [at(0), at(5), at(10)]
  const events = timelineOf(transaction, (sequence) => times[sequence - 1] ?? at(99))
  expect(kindsOf(events)).toEqual([
    'order.created',
    'status.changed Initiate',
    'attempt.started',
    'status.changed Pending',
    'attempt.failed',
    'status.changed Failed',
    'reversal.requested',
    'reversal.succeeded',
  ])
  expect(events[4]?.detail).toMatchObject({ attempt_id: 'A1', failure_reason: 'declined', failure_code: 'limit_exceeded' })
  expect(events[5]).toMatchObject({ sequence: 3, detail: { failure_reason: 'declined', failure_code: 'limit_exceeded' } })
  expect(events[7]?.detail).toEqual({ reference: 'R2', amount: '499.00', reason: 'late', requests: 3 })
})

test('an open attempt and a pending reversal have only begun', () => {
  const transaction = {
    ...opened(),
    attempts: [
      {
        ...{ id: 'A1', method: 'upi' as const, status: 'open' as const, reference: null, failureReason: null },
        ...{ startedAt: at(5), endedAt: null },
      },
    ],
  }
  expect(kindsOf(timelineOf(transaction, () => at(0)))).toEqual(['order.created', 'status.changed Initiate', 'attempt.started'])
})
