import { Router } from 'express'
import { compile, exactFields, formatPaise, optionalFields, Refused } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { checkContent, operatorOf } from '@gateway/service-kit/http'
import { cursorsOf } from '../../common/index.ts'
import { DIFFERENCE_CLASSES, type Side } from '../domain/difference.ts'
import type { FileDocument, KnownDifference, ManageDifferences } from '../use-cases/manage-differences.ts'
import type { ReceiveSettlementFile } from '../use-cases/receive-settlement-file.ts'

const DEFAULT_LIMIT = 100
const POSITION = /^[\x21-\x7e]{1,200}$/u
const FILE_POSITION = /^\d{1,15}\/[0-9a-f]{64}$/u
const FILES = cursorsOf(FILE_POSITION, 'settlement files')
/** A file's id is a SHA-256, a difference's id is printable text. Other texts are not sent to the database. */
const FILE_ID = /^[0-9a-f]{64}$/u
const DIFFERENCE_ID = /^[\x21-\x7e]{1,300}$/u

/** A description begins with what the answer to a wrong value says. */
const page = {
  limit: {
    type: 'string',
    pattern: '^(?:[1-9]\\d?|[1-4]\\d\\d|500)$',
    description: 'a whole number from 1 to 500; 100 by default',
  },
  cursor: { type: 'string', minLength: 1, maxLength: 512, description: 'the next_cursor of the previous page' },
} as const
const filesQuery = compile(optionalFields(page))
const listQuery = compile(optionalFields({ class: { enum: DIFFERENCE_CLASSES }, ...page }))
const resolveBody = compile(
  exactFields({
    note: {
      type: 'string',
      pattern: '\\S',
      maxLength: 500,
      format: 'plain-text',
      description: 'a text of 1 to 500 characters on one line, and not only spaces',
    },
  }),
)

/** `POST /operator/v1/settlement-files`. The route reads the body as a stream, so no body parser may run before it. */
export function uploadRoute(receiveFile: ReceiveSettlementFile, log: Log): Router {
  return Router().post('/operator/v1/settlement-files', async (request, response) => {
    try {
      checkContent(request, 'text/csv')
      // Without this option, an error would close the connection before the answer is sent.
      const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
      const file = await receiveFile(body, operatorOf(response))
      log.info('operator', { action: 'upload_settlement_file', file: file._id, bytes: file.bytes, lines: file.lines })
      response.status(202).json({ data: { file: fileView(file) } })
    } finally {
      // Discard the rest of a refused body. The server's request timeout limits how long that takes.
      request.resume()
    }
  })
}

/** The operators' routes of settlement files and differences. Each call is logged, and in the audit like every operator's call. */
export function operatorRoutes(manage: ManageDifferences, log: Log): Router {
  const audit = (action: string, fields: Record<string, unknown>) => log.info('operator', { action, ...fields })
  return Router()
    .get('/operator/v1/settlement-files', async (request, response) => {
      const { limit, cursor } = filesQuery.parse({ ...request.query })
      const position = FILES.read(cursor)
      const before = position === undefined ? undefined : filePositionOf(position)
      const { found, next } = await manage.files(before, Number(limit ?? DEFAULT_LIMIT))
      audit('list_settlement_files', { count: found.length })
      const next_cursor = FILES.write(next && `${next.received_at.getTime()}/${next._id}`)
      response.json({ data: { files: found.map(fileView) }, next_cursor })
    })
    .get('/operator/v1/settlement-files/:id', async (request, response) => {
      response.json({ data: { file: fileView(await manage.file(fileIdOf(request.params.id))) } })
    })
    .get('/operator/v1/settlement-files/:id/differences', async (request, response) => {
      const { class: name, limit, cursor } = listQuery.parse({ ...request.query })
      const id = fileIdOf(request.params.id)
      const cursors = cursorsOf(POSITION, 'differences', id, name)
      const query = { file: id, class: name, after: cursors.read(cursor), limit: Number(limit ?? DEFAULT_LIMIT) }
      const { found, next } = await manage.list(query)
      audit('list_differences', { file: id, class: name, count: found.length })
      response.json({ data: { differences: found.map(differenceView) }, next_cursor: cursors.write(next?._id) })
    })
    .post('/operator/v1/differences/:id/resolve', async (request, response) => {
      const { note } = resolveBody.parse(request.body)
      const id = differenceIdOf(request.params.id)
      const known = await manage.resolve(id, { note, by: operatorOf(response) })
      audit('resolve_difference', { difference: known._id })
      response.json({ data: { difference: differenceView(known) } })
    })
}

function filePositionOf(position: string): { receivedAt: Date; id: string } {
  const [receivedAt, id = ''] = position.split('/')
  return { receivedAt: new Date(Number(receivedAt)), id }
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

/** A settlement file as operators see it. */
export function fileView(file: FileDocument): object {
  const { _id: id, bytes, lines, imported: lines_imported, settled_until, found: differences, received_by } = file
  const state = file.state === 'imported' ? 'imported' : lines_imported > 0 ? 'importing' : 'received'
  return {
    ...{ id, state, bytes, lines, lines_imported, settled_until, differences, received_by },
    received_at: file.received_at.toISOString(),
    imported_at: file.imported_at?.toISOString() ?? null,
    failure: failureView(file),
  }
}

/** The latest failed attempt of an import; `null` when there is none, and once the file is imported. */
function failureView({ state, failure, attempts = 0, retry_at }: FileDocument): object | null {
  if (state === 'imported' || !failure) return null
  const { at, reason } = failure
  const next = retry_at && retry_at > at ? retry_at : at
  return { attempts, reason, at: at.toISOString(), next_attempt_at: next.toISOString() }
}

/** A difference as operators see it. */
function differenceView({ _id, open, ours, bank, found_at, ended_at, ...difference }: KnownDifference): object {
  return {
    id: Buffer.from(_id).toString('base64url'),
    ...{ ...difference, ours: sideView(ours), bank: sideView(bank) },
    found_at: found_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
  }
}

function sideView(side: Side | null): object | null {
  return side && { amount: formatPaise(side.amount_paise), status: side.status, tr: side.tr }
}
