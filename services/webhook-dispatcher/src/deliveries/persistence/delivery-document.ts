import type { Connection } from 'mongoose'
import { Fault } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'
import type { Attempt, DeadReason, Delivery, DeliveryState, DeliveryStatus, Resend } from '../domain/delivery.ts'

/** A delivery's state, in fields that queries and indexes name. */
interface StateFields {
  readonly status: DeliveryStatus
  /** Only while `retrying`. */
  readonly nextAttemptAt: Date | null
  readonly deadReason: DeadReason | null
  /** `null` while `retrying`, so that the retention index never removes an open delivery. */
  readonly finishedAt: Date | null
}

/** A delivery as it is stored: the domain's fields, the claim, and what lists look for. */
export interface DeliveryDocument extends Omit<Delivery, 'id' | 'state'>, StateFields {
  /** The event's id. */
  readonly _id: string
  /** Status code or error of the latest attempt, for operators' lists; `null` before the first. */
  readonly lastResult: string | null
  /** Until then only the holder of the claim makes the next attempt. In the past when there is no claim. */
  readonly claimedUntil: Date
  /** A resend asked for while an attempt was running: the URL of one more attempt once that one is recorded. */
  readonly resendUrl: string | null
}

/** The latest attempts that a record keeps, over all resends and replays: 60 KiB with 1 KiB of each answer. */
const MAX_ATTEMPTS_KEPT = 50
const MAX_RESENDS_KEPT = 20

export function deliveryCollection(connection: Connection) {
  return driverCollection<DeliveryDocument>(connection, 'deliveries')
}

export function toDocument({ id, state, ...fields }: Delivery, claimedUntil: Date): DeliveryDocument {
  const latest = fields.attempts.at(-1)
  return {
    _id: id,
    ...fields,
    ...stateFields(state, latest?.at ?? fields.createdAt),
    attempts: fields.attempts.map(storedAttempt),
    lastResult: latest ? resultOf(latest) : null,
    claimedUntil,
    resendUrl: null,
  }
}

export function toDelivery(document: DeliveryDocument): Delivery {
  const { _id: id, status, nextAttemptAt, deadReason, finishedAt: _end, ...stored } = document
  const { lastResult: _result, claimedUntil: _claim, resendUrl: _resend, ...fields } = stored
  return { id, ...fields, state: toState({ _id: id, status, nextAttemptAt, deadReason }) }
}

/** The fields of a state; `at` is when the delivery entered it. */
export function stateFields(state: DeliveryState, at: Date): StateFields {
  const isRetrying = state.status === 'retrying'
  return {
    status: state.status,
    nextAttemptAt: isRetrying ? state.nextAttemptAt : null,
    deadReason: state.status === 'dead' ? state.reason : null,
    finishedAt: isRetrying ? null : at,
  }
}

/** One more attempt, as an update: appended, and the oldest dropped when there are too many. */
export function attemptUpdate(attempt: Attempt) {
  return {
    $set: { lastResult: resultOf(attempt) },
    $push: { attempts: { $each: [storedAttempt(attempt)], $slice: -MAX_ATTEMPTS_KEPT } },
  }
}

/** One more resend, as an update. */
export function resendUpdate(resend: Resend) {
  return { resends: { $each: [resend], $slice: -MAX_RESENDS_KEPT } }
}

function resultOf({ error, statusCode }: Attempt): string {
  return error ?? String(statusCode)
}

function storedAttempt({ retryAfterMs: _asked, ...attempt }: Attempt): Attempt {
  return attempt
}

type StoredState = Pick<DeliveryDocument, '_id' | 'status' | 'nextAttemptAt' | 'deadReason'>

function toState({ _id, status, nextAttemptAt, deadReason }: StoredState): DeliveryState {
  if (status === 'delivered') return { status }
  if (status === 'retrying' && nextAttemptAt) return { status, nextAttemptAt }
  if (status === 'dead' && deadReason) return { status, reason: deadReason }
  throw new Fault(`delivery ${_id} is ${status} without the fields of that status`)
}
