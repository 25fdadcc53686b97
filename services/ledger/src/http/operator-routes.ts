import { Router, type RequestHandler } from 'express'
import { compile, Refused, ValidationFailed } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { operatorOf } from '@gateway/service-kit/http'
import { DIFFERENCE_CLASSES } from '../domain/difference.ts'
import { holdsCard } from '../domain/card-number.ts'
import { differenceView, fileView } from '../use-cases/operator-views.ts'
import type { ManageDifferences } from '../use-cases/manage-differences.ts'
import type { ReceiveSettlementFile } from '../use-cases/receive-settlement-file.ts'
import { readPosition, writePosition } from './cursor.ts'

export interface OperatorRoutesOptions {
  readonly receiveFile: ReceiveSettlementFile
  readonly manage: ManageDifferences
  readonly log: Log
}

const DEFAULT_LIMIT = 100
const POSITION = /^[\x21-\x7e]{1,200}$/u
/** The ids that there are: a SHA-256, and a difference's as it is stored. Others never reach the database. */
const FILE_ID = /^[0-9a-f]{64}$/u
const DIFFERENCE_ID = /^[\x21-\x7e]{1,300}$/u

const listQuery = compile({
  type: 'object',
  additionalProperties: false,
  properties: {
    class: { enum: DIFFERENCE_CLASSES },
    limit: { type: 'string', pattern: '^(?:[1-9]\\d?|[1-4]\\d\\d|500)$' },
    cursor: { type: 'string', minLength: 1, maxLength: 512 },
  },
})
const resolveBody = compile({
  type: 'object',
  additionalProperties: false,
  required: ['note'],
  properties: { note: { type: 'string', minLength: 1, maxLength: 500, format: 'plain-text' } },
})

/** `POST /operator/v1/settlement-files`: reads the body itself. */
export function uploadRoute({ receiveFile, log }: Pick<OperatorRoutesOptions, 'receiveFile' | 'log'>): Router {
  return Router().post('/operator/v1/settlement-files', requireCsv, async (request, response) => {
    try {
      // An error must not close the connection before it is answered.
      const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
      const file = await receiveFile(body, operatorOf(response))
      log.info('operator', { action: 'upload_settlement_file', file: file._id, bytes: file.bytes, lines: file.lines })
      response.status(202).json({ data: { file: fileView(file) } })
    } finally {
      // Takes the rest of a refused body; the server's deadline for a request limits it.
      request.resume()
    }
  })
}

const requireCsv: RequestHandler = (request, _response, next) => {
  const isPlain = request.get('content-encoding') === undefined
  if (!isPlain || !/^text\/csv\s*(?:;|$)/iu.test(request.get('content-type') ?? '')) {
    throw new Refused('content_type_unsupported', 'The body must be text/csv, not compressed')
  }
  next()
}

/** Operators' routes on settlement files and differences. Each use is logged. */
export function operatorRoutes({ manage, log }: Omit<OperatorRoutesOptions, 'receiveFile'>): Router {
  const audit = (action: string, fields: Record<string, unknown>) => log.info('operator', { action, ...fields })
  return Router()
    .get('/operator/v1/settlement-files/:id', async (request, response) => {
      response.json({ data: { file: fileView(await manage.file(fileIdOf(request.params.id))) } })
    })
    .get('/operator/v1/settlement-files/:id/differences', async (request, response) => {
      const { class: name, limit, cursor } = listQuery.parse({ ...request.query })
      const id = fileIdOf(request.params.id)
      const conditions = ['differences', id, name]
      const after = cursor === undefined ? undefined : readPosition(cursor, POSITION, conditions)
      const { differences, next } = await manage.list({ file: id, class: name, after, limit: Number(limit ?? DEFAULT_LIMIT) })
      audit('list_differences', { file: id, class: name, count: differences.length })
      const next_cursor = next === undefined ? null : writePosition(next, conditions)
      response.json({ data: { differences: differences.map(differenceView) }, next_cursor })
    })
    .post('/operator/v1/differences/:id/resolve', async (request, response) => {
      const { note } = resolveBody.parse(request.body)
      if (holdsCard(note)) throw new ValidationFailed([{ field: '/note', message: 'must not hold a card number' }])
      const id = differenceIdOf(request.params.id)
      const difference = await manage.resolve(id, { note, by: operatorOf(response) })
      audit('resolve_difference', { difference: difference._id })
      response.json({ data: { difference: differenceView(difference) } })
    })
}

function fileIdOf(text: string): string {
  if (!FILE_ID.test(text)) throw new Refused('settlement_file_not_found', 'There is no such settlement file')
  return text
}

function differenceIdOf(text: string): string {
  const id = Buffer.from(text, 'base64url').toString('utf8')
  if (!DIFFERENCE_ID.test(id)) throw new Refused('difference_not_found', 'There is no such difference')
  return id
}
