import { AppError } from '@gateway/contracts'

/** The broker is away, blocked by an alarm, or left before it confirmed: the message may or may not be stored. */
export class BrokerUnavailable extends AppError {
  readonly code = 'broker_unavailable'
}

/** No confirm came in time. The message may still be stored later, so whoever sends it again makes a duplicate. */
export class PublishTimeout extends AppError {
  readonly code = 'publish_timeout'
}

/** No queue is bound for this routing key: nobody would ever have received the message. */
export class PublishReturned extends AppError {
  readonly code = 'publish_returned'
}

/** A queue refused the message (`basic.nack`): it is full, or it has no leader now. */
export class PublishRefused extends AppError {
  readonly code = 'publish_refused'
}

/** Too many publishes wait for their confirms; the caller holds back. */
export class PublishOverloaded extends AppError {
  readonly code = 'publish_overloaded'
}
