import { createHash } from 'node:crypto'
import { eventually } from '@gateway/testkit'
import type { Fixture } from './fixture.ts'

export const FILES = '/operator/v1/settlement-files'
const CSV = { 'content-type': 'text/csv' }

export interface FileAnswer {
  readonly data: { readonly file: { readonly id: string; readonly state: string; readonly differences: Record<string, number> } }
}
export interface FilesAnswer {
  readonly data: { readonly files: readonly Listed[] }
  readonly next_cursor: string | null
}
export interface Listed {
  readonly id: string
}
export interface DifferencesAnswer {
  readonly data: { readonly differences: readonly Found[] }
  readonly next_cursor: string | null
}
export interface Found {
  readonly id: string
  readonly class: string
  readonly reference: string | null
  readonly order_id: string | null
  readonly status: string
}

export const named = (found: readonly Found[]) => found.map((one) => [one.class, one.reference, one.status])

export const upload = <T = FileAnswer>({ operator }: Fixture, text: string | Buffer, headers: Record<string, string> = CSV) =>
  operator<T>('POST', FILES, text, headers)

/** Uploads a file and waits for its import; resolves to its id. */
export async function imported(fixture: Fixture, text: string): Promise<string> {
  const { status, body } = await upload(fixture, text)
  expect(status).toBe(202)
  const { id } = body.data.file
  expect(id).toBe(createHash('sha256').update(text).digest('hex'))
  await eventually(
    async () => {
      const answer = await fixture.operator<FileAnswer>('GET', `${FILES}/${id}`)
      expect(answer.body.data.file.state).toBe('imported')
    },
    { deadlineMs: 30_000 },
  )
  return id
}

export async function differencesOf({ operator }: Fixture, id: string, query = ''): Promise<readonly Found[]> {
  const { status, body } = await operator<DifferencesAnswer>('GET', `${FILES}/${id}/differences${query}`)
  expect(status).toBe(200)
  return body.data.differences
}
