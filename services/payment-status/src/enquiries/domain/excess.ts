import { after, amend, type Decision } from '../../payments/index.ts'

/** Few enough that their calls end within the lease of a due transaction. */
const AT_ONCE = 4
/** When the network is asked again while its last answer has excess captures that are not given back. */
const NEXT_PART_MS = 5000

/**
 * Takes the next part of an answer's excess captures, by reference, and remembers where it ends: nothing else of them is stored.
 * After the last part comes the first one again, at the next enquiry of the schedule: the network may not have heard the request.
 * @returns the decision with this part alone, and whether it is the last one
 */
export function takePart(decision: Decision, now: Date): { decision: Decision; isLast: boolean } {
  const { excess, transaction } = decision
  if (excess.length === 0) return { decision, isLast: true }
  const sorted = excess.toSorted((one, other) => (one.reference < other.reference ? -1 : 1))
  const start = Math.max(
    0,
    sorted.findIndex(({ reference }) => reference > (transaction.returnedUpTo ?? '')),
  )
  const part = sorted.slice(start, start + AT_ONCE)
  const returnedUpTo = part.at(-1)?.reference ?? ''
  return { decision: amend({ ...decision, excess: part }, now, { returnedUpTo }), isLast: start + AT_ONCE >= sorted.length }
}

/** Asks for the next part soon. This is no step of the schedule, which goes on after the last part. */
export function askForNextPart(decision: Decision, now: Date): Decision {
  const { requests, round } = decision.transaction.enquiry ?? { requests: 0, round: 0 }
  return amend(decision, now, { enquiry: { dueAt: after(now, NEXT_PART_MS), requests, round } })
}
