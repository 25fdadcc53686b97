import type { Connection } from 'mongoose'
import { Fault, ownSlotOf } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'
import type { Attempt, DeadReason, Delivery, DeliveryState, DeliveryStatus, Resend } from '../domain/delivery.ts'

/** A delivery's state, in fields that queries and indexes name. */
interface StateFields {
  readonly status: DeliveryStatus
  /** Only while `retrying`. */
  readonly next_attempt_at: Date | null
  readonly dead_reason: DeadReason | null
  /** `null` while `retrying`, so that the retention index never removes an open delivery. */
  readonly finished_at: Date | null
}

/** A delivery as it is stored: the domain's fields, the claim, and what lists look for. */
export interface DeliveryDocument extends Omit<Delivery, 'id' | 'state'>, StateFields {
  /** The event's id. */
  readonly _id: string
  readonly slot: number
  /** Status code or error of the latest attempt, for operators' lists; `null` before the first. */
  readonly last_result: string | null
  /** Until then only the holder of the claim makes the next attempt. In the past when there is no claim. */
  readonly claimed_until: Date
  /** A resend asked for while an attempt was running: the URL of one more attempt once that one is recorded. */
  readonly resend_url: string | null
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
    slot: ownSlotOf(id),
    ...fields,
    ...stateFields(state, latest?.at ?? fields.created_at),
    attempts: fields.attempts.map(storedAttempt),
    last_result: latest ? resultOf(latest) : null,
    claimed_until: claimedUntil,
    resend_url: null,
  }
}

export function toDelivery(document: DeliveryDocument): Delivery {
  const { _id: id, slot: _slot, status, next_attempt_at, dead_reason, finished_at: _end, ...stored } = document
  const { last_result: _result, claimed_until: _claim, resend_url: _resend, ...fields } = stored
  return { id, ...fields, state: toState({ _id: id, status, next_attempt_at, dead_reason }) }
}

/** The fields of a state; `at` is when the delivery entered it. */
export function stateFields(state: DeliveryState, at: Date): StateFields {
  const isRetrying = state.status === 'retrying'
  return {
    status: state.status,
    next_attempt_at: isRetrying ? state.next_attempt_at : null,
    dead_reason: state.status === 'dead' ? state.reason : null,
    finished_at: isRetrying ? null : at,
  }
}

/** One more attempt, as an update: appended, and the oldest dropped when there are too many. */
export function attemptUpdate(attempt: Attempt) {
  return {
    $set: { last_result: resultOf(attempt) },
    $push: { attempts: { $each: [storedAttempt(attempt)], $slice: -MAX_ATTEMPTS_KEPT } },
  }
}

/** One more resend, as an update. */
export function resendUpdate(resend: Resend) {
  return { resends: { $each: [resend], $slice: -MAX_RESENDS_KEPT } }
}

function resultOf({ error, status_code }: Attempt): string {
  return error ?? String(status_code)
}

function storedAttempt({ retry_after_ms: _asked, ...attempt }: Attempt): Attempt {
  return attempt
}

type StoredState = Pick<DeliveryDocument, '_id' | 'status' | 'next_attempt_at' | 'dead_reason'>

function toState({ _id, status, next_attempt_at, dead_reason }: StoredState): DeliveryState {
  if (status === 'delivered') return { status }
  if (status === 'retrying' && next_attempt_at) return { status, next_attempt_at }
  if (status === 'dead' && dead_reason) return { status, reason: dead_reason }
  throw new Fault(`delivery ${_id} is ${status} without the fields of that status`)
}
