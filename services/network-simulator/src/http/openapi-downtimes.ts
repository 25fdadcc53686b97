import { downtimesSchema } from '@gateway/contracts'
import { refusals } from './openapi-parts.ts'

export const downtimesOperation = {
  operationId: 'downtimes',
  summary: 'What does not work now',
  description:
    'Only of a connector with the capability `downtimes`. A method without `instrument` is down as a whole. The gateway reads the ' +
    'list every 15 seconds: `high` hides a method or a bank on the payment page, `medium` warns.',
  responses: {
    200: { description: 'All downtimes that are known', content: { 'application/json': { schema: downtimesSchema } } },
    401: refusals[401],
    503: refusals[503],
  },
}
