import { Fault } from '@gateway/contracts'
import { endReason } from './errors.ts'

// Proves: faults/logs-hold-no-personal-data
test.each<[unknown, string]>([
  [
    new Error(
      `Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - inequivalent arg 'x'"`,
    ),
    `406 (PRECONDITION-FAILED) with message "PRECONDITION_FAILED - inequivalent arg 'x'"`,
  ],
  [new Error('Heartbeat timeout'), 'Heartbeat timeout'],
  [Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5672'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new Fault('RabbitMQ 3.13 is refused'), 'RabbitMQ 3.13 is refused'],
  ['closed', 'closed'],
  [new TypeError(`Expected buffer; got {"vpa":"asha@okbank"}`), 'TypeError'],
  [`Expected BasicDeliver or BasicReturn; got "asha@okbank"`, 'closed'],
  [Object.assign(new Error('asha@okbank'), { code: 'asha@okbank' }), 'Error'],
])('%j', (reason, logged) => expect(endReason(reason)).toBe(logged))
