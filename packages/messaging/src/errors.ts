import { AppError } from '@gateway/contracts'

/** The broker is away, blocked by an alarm, or left before it confirmed: the message may or may not be stored. */
export class BrokerUnavailable extends AppError {
  readonly code = 'broker_unavailable'
}

/** No confirm came in time. The message may still be stored later, so sending it again can make a duplicate. */
export class PublishTimeout extends AppError {
  readonly code = 'publish_timeout'
}

/** No queue is bound for this routing key: no consumer would ever receive the message. */
export class PublishReturned extends AppError {
  readonly code = 'publish_returned'
}

/** A queue refused the message (`basic.nack`): it is full, or it has no leader now. */
export class PublishRefused extends AppError {
  readonly code = 'publish_refused'
}

/** Too many publishes wait for their confirms; the caller has to slow down. */
export class PublishOverloaded extends AppError {
  readonly code = 'publish_overloaded'
}
