import { PUBLIC_PROBLEM_CODES, SIGNATURE_HEADERS, type JsonSchema } from '@gateway/contracts'
import type { Operation } from '../operations/operation.ts'
import type { OperationId } from '../operations/operations.ts'

/** Builders for the parts of an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0). */

const text = { type: 'string' } as const

/** Every operation can answer with these. */
const COMMON_REFUSALS = [400, 405, 413, 415, 429, 500, 502, 503, 504]

/** What each error status means, for people; programs read the stable `code`. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The body is not JSON in UTF-8, or the address cannot be decoded as UTF-8',
  401: 'token_missing, token_invalid or token_expired',
  403: 'The credential may not do this: scope_missing names the missing scope in the detail',
  404: 'Unknown, or owned by another merchant',
  405: 'Method not allowed; see Allow',
  409: 'Conflict with the stored state; the code says which',
  413: 'The body is larger than 64 KiB',
  415: 'The body is not application/json in UTF-8, or it is compressed',
  422: 'validation_failed: errors lists the invalid fields, at most 100',
  429: 'Too many requests, in a second or at the same time; see Retry-After',
  500: 'An unexpected error; quote the request_id',
  502: 'A service failed; try again',
  503: 'A service is unavailable; see Retry-After',
  504: 'A service did not answer in time; try again',
}

export const problemSchema: JsonSchema = {
  type: 'object',
  description: 'RFC 9457',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: text,
    code: { ...text, enum: PUBLIC_PROBLEM_CODES, description: 'stable, for programs; a later version may add codes' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { ...text, description: 'a JSON pointer' }, message: text },
      },
    },
    request_id: text,
  },
}

export type DescribedOperation = ReturnType<typeof describeOperation>

/** One operation with its request, its successful responses and its errors. */
export function describeOperation(id: OperationId, operation: Operation, options: { sandbox: boolean }) {
  const { summary, description, tag, caller, query, example, answers, csv, refusals = [], repeatable } = operation
  const request = typeof operation.request === 'function' ? operation.request(options) : operation.request
  const parameters = parametersOf(operation)
  const isOpen = caller !== 'merchant'
  const refused = [...(isOpen ? [] : [401, 403]), ...(request || query ? [422] : []), ...refusals, ...COMMON_REFUSALS]
  return {
    operationId: id,
    summary,
    description,
    tags: [tag] as const,
    ...(isOpen ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request ? { requestBody: { required: true, content: json(request, example) } } : {}),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, schema]) => [status, success(Number(status), schema, csv)])),
      ...Object.fromEntries(refused.map((status) => [String(status), refusal(status)])),
    },
    'x-repeatable': repeatable,
  }
}

function parametersOf({ path, id = text, query, optionalHeaders = {}, caller }: Operation): Parameter[] {
  return [
    ...(path.includes('{id}') ? [parameter('path', 'id', id, true)] : []),
    ...Object.entries(query?.properties ?? {}).map(([name, schema]) =>
      parameter('query', name, schema, query?.required?.includes(name) === true),
    ),
    ...Object.entries(optionalHeaders).map(([name, schema]) => parameter('header', name, schema, false)),
    ...(caller === 'network' ? signatureHeaders : []),
  ]
}

/** A JSON body with this schema. */
export function json(schema: JsonSchema, example?: JsonSchema) {
  return { 'application/json': { schema, ...(example ? { example } : {}) } }
}

interface Response {
  readonly description: string
  /** By media type. */
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

function success(status: number, schema: JsonSchema | null, csv: string | undefined): Response {
  const description = status === 201 ? 'Created' : status === 202 ? 'Accepted' : status === 204 ? 'No content' : 'OK'
  return schema === null
    ? { description }
    : {
        description,
        content: { ...json(schema), ...(csv === undefined ? {} : { 'text/csv': { schema: { ...text, description: csv } } }) },
      }
}

function refusal(status: number): Response {
  return {
    description: REFUSALS[status] ?? 'Refused',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

export type Parameter = ReturnType<typeof parameter>

/** A plus in a query stands for a space, but a time has none there. */
const PLUS = 'In a query, write the + of the zone as %2B; a plain + is accepted, too.'

function parameter(place: 'header' | 'path' | 'query', name: string, schema: JsonSchema, required: boolean) {
  const isTime = place === 'query' && schema['format'] === 'date-time'
  return { in: place, name, required, ...(isTime ? { description: PLUS } : {}), schema }
}

const HEADERS: Readonly<Record<string, string>> = {
  [SIGNATURE_HEADERS.id]: 'the id of the message; the same when it is sent again',
  [SIGNATURE_HEADERS.timestamp]:
    'when it was sent, in seconds since 1970; refuse it when this is more than five minutes from now',
  [SIGNATURE_HEADERS.signature]:
    'one or more signatures, each v1, and base64, with a space between them: HMAC-SHA256 of id.timestamp.body by a signing secret',
  'webhook-attempt': 'the number of this attempt, from 1',
  'webhook-sequence': 'the number of the status change, from 1; ignore a lower number than one that you have seen',
}

/** A header of a webhook or a callback, with its meaning. */
const header = (name: string) => parameter('header', name, { ...text, description: HEADERS[name] }, true)

/** The headers of everything that is signed as Standard Webhooks. */
const signatureHeaders = Object.values(SIGNATURE_HEADERS).map(header)

export const webhookHeaders = [...signatureHeaders, header('webhook-attempt'), header('webhook-sequence')]
